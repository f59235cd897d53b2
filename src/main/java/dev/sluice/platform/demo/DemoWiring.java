package dev.sluice.platform.demo;

import dev.sluice.fleet.FleetConfig;
import dev.sluice.overview.Announcement;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.scheduling.ConfigurationCommands;
import dev.sluice.scheduling.LeaderLoop;
import dev.sluice.scheduling.WorkloadCommands;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Starts the demo once everything else runs, if one is asked for, and stops it first. */
@Singleton
public class DemoWiring {
    private @Nullable Thread playing;

    void start(
            @Observes @Priority(Interceptor.Priority.APPLICATION + 500) StartupEvent started,
            DemoConfig config,
            FleetConfig fleet,
            LeaderLoop leader,
            ConfigurationCommands configuration,
            WorkloadCommands commands,
            EngineReader engine,
            WorkloadReader workloads,
            Announcement announcement) {
        switch (config.scenario()) {
            case "none" -> {}
            case "three-teams" -> {
                Duration hold = hold(config, fleet.speed());
                DemoPlayer player = new DemoPlayer(
                        configuration,
                        commands,
                        engine,
                        workloads,
                        announcement,
                        Clock.systemUTC(),
                        hold,
                        runsFor(hold, fleet.speed()));
                playing = Thread.ofVirtual().name("demo").start(() -> {
                    if (awaitLead(leader)) {
                        player.play();
                    }
                });
            }
            default ->
                throw new IllegalStateException(
                        "sluice.demo.scenario is " + config.scenario() + "; there is three-teams, and there is none");
        }
    }

    void stop(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE) ShutdownEvent stopping) {
        if (playing != null) {
            playing.interrupt();
        }
    }

    /** An edit while the first term begins would end that term, since it is computed on the configuration before. */
    private static boolean awaitLead(LeaderLoop leader) {
        try {
            while (!leader.isLeading()) {
                Thread.sleep(Duration.ofMillis(20));
            }
            return true;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    static Duration hold(DemoConfig config, double speed) {
        Duration scaled = Duration.ofMillis(Math.round(config.stepDuration().toMillis() / speed));
        return scaled.compareTo(config.stepDurationMin()) < 0 ? config.stepDurationMin() : scaled;
    }

    /** Believable, and longer than any round: with waiting for outcomes, ten holds and some minutes are. */
    static Duration runsFor(Duration hold, double speed) {
        Duration round = hold.multipliedBy(10).plusMinutes(10);
        return Duration.ofMinutes(Math.max(360, (long) Math.ceil(round.toSeconds() * speed / 60)));
    }
}
