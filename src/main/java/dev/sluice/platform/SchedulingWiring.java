package dev.sluice.platform;

import dev.sluice.scheduling.BatchObserver;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.ConfigurationCommands;
import dev.sluice.scheduling.ConfigurationStore;
import dev.sluice.scheduling.DriftCheck;
import dev.sluice.scheduling.IntakeStore;
import dev.sluice.scheduling.LeaderLoop;
import dev.sluice.scheduling.LeadershipStore;
import dev.sluice.scheduling.OutcomeBoard;
import dev.sluice.scheduling.SchedulingStore;
import dev.sluice.scheduling.SubmissionGroup;
import dev.sluice.scheduling.WorkloadCommands;
import io.quarkus.arc.All;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Makes the writing side out of its plain classes and starts it once the schema is there. */
@Singleton
public class SchedulingWiring {
    @Produces
    @Singleton
    LeaderLoop leaderLoop(
            SchedulingStore store,
            LeadershipStore leaderships,
            Cluster cluster,
            SchedulingConfig config,
            OutcomeBoard outcomes,
            @All List<BatchObserver> observers) {
        List<BatchObserver> all = new ArrayList<>(observers);
        if (!all.contains(outcomes)) {
            all.add(outcomes);
        }
        if (cluster instanceof BatchObserver observer) {
            all.add(observer);
        }
        String holder = ProcessHandle.current().pid() + "-" + UUID.randomUUID();
        return new LeaderLoop(holder, store, leaderships, cluster, config.admission(), config.settings(), all);
    }

    @Produces
    @Singleton
    OutcomeBoard outcomeBoard() {
        return new OutcomeBoard();
    }

    @Produces
    @Singleton
    SubmissionGroup submissionGroup(IntakeStore intake, LeaderLoop loop, SchedulingConfig config) {
        return new SubmissionGroup(intake, loop, config.settings());
    }

    @Produces
    @Singleton
    WorkloadCommands workloadCommands(
            SubmissionGroup submissions,
            IntakeStore intake,
            LeaderLoop loop,
            OutcomeBoard outcomes,
            SchedulingConfig config) {
        return new WorkloadCommands(submissions, intake, loop, outcomes, config.settings());
    }

    @Produces
    @Singleton
    ConfigurationCommands configurationCommands(ConfigurationStore store, LeaderLoop loop) {
        return new ConfigurationCommands(store, loop);
    }

    @Produces
    @Singleton
    DriftCheck driftCheck(LeaderLoop loop, Cluster cluster) {
        return new DriftCheck(loop, cluster);
    }

    void start(
            @Observes @Priority(Interceptor.Priority.APPLICATION + 100) StartupEvent started,
            LeaderLoop loop,
            SubmissionGroup submissions) {
        submissions.start();
        loop.start();
    }

    void stop(@Observes ShutdownEvent stopping, LeaderLoop loop, SubmissionGroup submissions) {
        submissions.close();
        loop.close();
    }
}
