package dev.sluice.platform;

import dev.sluice.scheduling.LeaderLoop;
import dev.sluice.scheduling.SchedulingStore;
import dev.sluice.scheduling.StoreUnavailable;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Liveness;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;

/** Says why, as data. Live: the loop goes round. Ready: the database answers. Started: the loop went round once. */
@Singleton
class LeaderHealth {
    /** A term that loads a million workloads may be silent for a while; a stuck thread is silent for ever. */
    private static final long SILENCE_MAX_SECONDS = 120;

    private final LeaderLoop loop;
    private final SchedulingStore store;

    LeaderHealth(LeaderLoop loop, SchedulingStore store) {
        this.loop = loop;
        this.store = store;
    }

    @Produces
    @Liveness
    HealthCheck live() {
        return () -> {
            long silence = TimeUnit.NANOSECONDS.toSeconds(
                    System.nanoTime() - loop.status().turnedAtNanos());
            return describe("leader loop")
                    .status(silence < SILENCE_MAX_SECONDS)
                    .withData("silentForSeconds", silence)
                    .build();
        };
    }

    @Produces
    @Readiness
    HealthCheck ready() {
        return () -> {
            HealthCheckResponseBuilder answer = describe("database");
            try {
                return answer.withData("configurationVersion", store.configurationVersion())
                        .up()
                        .build();
            } catch (StoreUnavailable away) {
                return answer.withData("why", String.valueOf(away.getMessage()))
                        .down()
                        .build();
            }
        };
    }

    @Produces
    @Startup
    HealthCheck started() {
        return () -> describe("first term")
                .status(loop.isLeading() || loop.status().trouble() == null)
                .build();
    }

    private HealthCheckResponseBuilder describe(String name) {
        LeaderLoop.Status status = loop.status();
        HealthCheckResponseBuilder answer = HealthCheckResponse.named(name)
                .withData("leading", loop.isLeading())
                .withData("failedTerms", status.failures());
        loop.setAside().forEach((workload, why) -> answer.withData("unreadable " + workload, why));
        loop.leadership().ifPresent(leadership -> answer.withData("epoch", leadership.epoch()));
        return status.trouble() == null ? answer : answer.withData("trouble", status.trouble());
    }
}
