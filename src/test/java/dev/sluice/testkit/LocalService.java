package dev.sluice.testkit;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.QuotaUsage;
import dev.sluice.fleet.FleetSettings;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.persistence.PostgresConfigurationStore;
import dev.sluice.persistence.PostgresIntakeStore;
import dev.sluice.persistence.PostgresLeadershipStore;
import dev.sluice.persistence.PostgresSchedulingStore;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.BatchObserver;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.CommandAnswer;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationCommands;
import dev.sluice.scheduling.DriftCheck;
import dev.sluice.scheduling.LeaderLoop;
import dev.sluice.scheduling.OutcomeBoard;
import dev.sluice.scheduling.SchedulingSettings;
import dev.sluice.scheduling.SchedulingStore;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionGroup;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.scheduling.WorkloadCommands;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The writing side of one replica, without a web server: leader loop, intake and commands over a real PostgreSQL and a cluster, simulated or real.
 * Several on one database are several replicas; closing one and opening another is a restart.
 */
public final class LocalService implements AutoCloseable {
    private static final SchedulingSettings QUICK =
            new SchedulingSettings(Duration.ofSeconds(3), Duration.ofMillis(20), 4096, 256, Duration.ofSeconds(5));

    private final SubmissionGroup submissions;
    private final LeaderLoop loop;
    private final WorkloadCommands commands;
    private final ConfigurationCommands configurations;
    private final DriftCheck driftCheck;

    private LocalService(DataSource database, Cluster cluster, SchedulingStore store, AdmissionSettings settings) {
        PostgresIntakeStore intake = new PostgresIntakeStore(database);
        OutcomeBoard outcomes = new OutcomeBoard();
        loop = new LeaderLoop(
                "replica-" + UUID.randomUUID(),
                store,
                new PostgresLeadershipStore(database),
                cluster,
                settings,
                QUICK,
                cluster instanceof BatchObserver observer ? List.of(outcomes, observer) : List.of(outcomes));
        submissions = new SubmissionGroup(intake, loop, QUICK);
        commands = new WorkloadCommands(submissions, intake, loop, outcomes, QUICK);
        configurations = new ConfigurationCommands(new PostgresConfigurationStore(database), loop);
        driftCheck = new DriftCheck(loop, cluster);
    }

    public static LocalService start(DataSource database, Cluster cluster) {
        return start(database, cluster, UnaryOperator.identity());
    }

    /** @param faults wraps the store, to fail when a test wants it to */
    public static LocalService start(DataSource database, Cluster cluster, UnaryOperator<SchedulingStore> faults) {
        return start(database, cluster, faults, AdmissionSettings.defaults());
    }

    public static LocalService start(DataSource database, Cluster cluster, AdmissionSettings settings) {
        return start(database, cluster, UnaryOperator.identity(), settings);
    }

    private static LocalService start(
            DataSource database, Cluster cluster, UnaryOperator<SchedulingStore> faults, AdmissionSettings settings) {
        LocalService service =
                new LocalService(database, cluster, faults.apply(new PostgresSchedulingStore(database)), settings);
        service.submissions.start();
        service.loop.start();
        return service;
    }

    public static SimulatedFleet aFleet() {
        return SimulatedFleet.started(FleetSettings.unlimited().withAudit());
    }

    public LeaderLoop loop() {
        return loop;
    }

    public WorkloadCommands commands() {
        return commands;
    }

    public ConfigurationCommands configurations() {
        return configurations;
    }

    /** Puts everything that the configuration holds; what it lacks stays as it was. */
    public void configure(Configuration configuration) {
        configurations.edit("tester", stored -> putting(configuration));
    }

    /** The edit that puts everything that the configuration holds. */
    public static List<ConfigurationChange> putting(Configuration configuration) {
        List<ConfigurationChange> changes = new ArrayList<>();
        configuration
                .resourceFlavors()
                .values()
                .forEach(one -> changes.add(new ConfigurationChange.PutResourceFlavor(one)));
        configuration.cohorts().values().forEach(one -> changes.add(new ConfigurationChange.PutCohort(one)));
        configuration
                .admissionChecks()
                .values()
                .forEach(one -> changes.add(new ConfigurationChange.PutAdmissionCheck(one)));
        configuration
                .clusterQueues()
                .values()
                .forEach(one -> changes.add(new ConfigurationChange.PutClusterQueue(one)));
        configuration.localQueues().values().forEach(one -> changes.add(new ConfigurationChange.PutLocalQueue(one)));
        configuration
                .priorityClasses()
                .values()
                .forEach(one -> changes.add(new ConfigurationChange.PutWorkloadPriorityClass(one)));
        return changes;
    }

    /** Submits and waits for the acknowledgement. Runs until it is stopped if {@code runsFor} is null. */
    public WorkloadId submit(WorkloadBuilder builder, @Nullable Duration runsFor) {
        Workload workload = builder.build();
        SubmissionResult result = commands.submit(List.of(new Submission(
                        new WorkloadId(workload.id() + "-" + UUID.randomUUID()),
                        workload.name(),
                        workload.namespace(),
                        workload.localQueue(),
                        workload.priorityClass(),
                        workload.priority(),
                        workload.podSets(),
                        runsFor,
                        workload.maxDuration(),
                        null,
                        "tester",
                        null,
                        "hash")))
                .getFirst();
        if (result instanceof SubmissionResult.Accepted accepted) {
            return accepted.workload().id();
        }
        throw new AssertionError("not accepted: " + result);
    }

    /** Where what is charged and what runs have come apart. */
    public DriftCheck driftCheck() {
        return driftCheck;
    }

    public CommandAnswer cancel(WorkloadId workload) {
        return commands.cancel(workload, "tester");
    }

    /** What the leader's engine says is used. */
    public QuotaUsage usage() {
        try {
            return loop.ask((engine, now) -> engine.usage()).orElseThrow().get();
        } catch (ExecutionException failed) {
            throw new AssertionError(failed);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new AssertionError(stopping);
        }
    }

    @Override
    public void close() {
        submissions.close();
        loop.close();
    }
}
