package dev.sluice.platform;

import dev.sluice.scheduling.ClusterUnavailable;
import dev.sluice.scheduling.Drift;
import dev.sluice.scheduling.DriftCheck;
import dev.sluice.scheduling.StoreUnavailable;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Runs the drift check now and then: {@code sluice.drift} counts what it finds, and the log names each once. */
@Singleton
class DriftWatch {
    private static final Logger LOG = Logger.getLogger(DriftWatch.class.getName());

    private final DriftCheck check;
    private final long intervalMillis;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("sluice-drift").daemon().factory());
    private volatile Set<Drift> found = Set.of();
    private @Nullable ScheduledFuture<?> looking;

    DriftWatch(DriftCheck check, SchedulingConfig config, MeterRegistry registry) {
        this.check = check;
        this.intervalMillis = config.driftCheckInterval().toMillis();
        registry.gauge("sluice.drift", this, watch -> watch.found.size());
    }

    void start(@Observes StartupEvent started) {
        looking = timer.scheduleWithFixedDelay(this::look, intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
    }

    void stop(@Observes ShutdownEvent stopping) {
        if (looking != null) {
            looking.cancel(true);
        }
        timer.shutdownNow();
    }

    private void look() {
        try {
            Set<Drift> before = found;
            found = check.run();
            for (Drift drift : found) {
                if (!before.contains(drift)) {
                    LOG.severe(() -> "what is charged and what runs have come apart: " + drift);
                }
            }
        } catch (ClusterUnavailable | StoreUnavailable away) {
            LOG.log(Level.FINE, "no drift check this time", away);
        } catch (RuntimeException bug) {
            // Thrown on, it would end the watch for good.
            LOG.log(Level.SEVERE, "the drift check failed", bug);
        }
    }
}
