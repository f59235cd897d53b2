package dev.sluice.platform;

import dev.sluice.admission.QuotaUsage;
import dev.sluice.scheduling.LeaderLoop;
import dev.sluice.scheduling.StoreUnavailable;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Gauges per queue and line, from the leader's engine; a replica that does not lead reports none, so there is exactly one set of
 * them, whoever leads.
 */
@Singleton
class QueueGauges {
    private static final Logger LOG = Logger.getLogger(QueueGauges.class.getName());
    private static final long EVERY_SECONDS = 2;
    private static final QuotaUsage NONE = new QuotaUsage(new TreeMap<>());

    private final MeterRegistry registry;
    private final LeaderLoop loop;
    private final MultiGauge workloads;
    private final MultiGauge quota;
    private @Nullable ScheduledFuture<?> refreshing;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("sluice-gauges").daemon().factory());

    QueueGauges(MeterRegistry registry, LeaderLoop loop) {
        this.registry = registry;
        this.loop = loop;
        this.workloads = MultiGauge.builder("sluice.workloads")
                .description("Workloads per ClusterQueue: waiting, holding quota, or stuck on their way out")
                .register(registry);
        this.quota = MultiGauge.builder("sluice.quota")
                .description("Amounts per ClusterQueue and quota line, in base units (milli-units for cpu)")
                .register(registry);
    }

    void start(@Observes StartupEvent started) {
        registry.gauge("sluice.leading", loop, one -> one.isLeading() ? 1 : 0);
        registry.gauge(
                "sluice.workloads.unreadable", loop, one -> one.setAside().size());
        registry.more()
                .counter(
                        "sluice.terms.failed",
                        Tags.empty(),
                        loop,
                        one -> one.status().failures());
        refreshing = timer.scheduleWithFixedDelay(this::refresh, 1, EVERY_SECONDS, TimeUnit.SECONDS);
    }

    void stop(@Observes ShutdownEvent stopping) {
        if (refreshing != null) {
            refreshing.cancel(true);
        }
        timer.shutdownNow();
    }

    void refresh() {
        try {
            QuotaUsage usage = loop.ask((engine, now) -> engine.usage())
                    .orElseGet(() -> CompletableFuture.completedFuture(NONE))
                    .get(5, TimeUnit.SECONDS);
            register(usage);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | StoreUnavailable away) {
            LOG.log(Level.FINE, "gauges are a little old: the leader did not answer", away);
        } catch (ExecutionException failed) {
            LOG.log(Level.FINE, "gauges are a little old: the leader's term ended", failed);
        } catch (RuntimeException bug) {
            // Thrown on, it would end the refreshing for good, and old numbers would stand as new.
            LOG.log(Level.SEVERE, "gauges could not be refreshed", bug);
        }
    }

    private void register(QuotaUsage usage) {
        List<Row<?>> counts = new ArrayList<>();
        List<Row<?>> lines = new ArrayList<>();
        usage.queues().forEach((name, queue) -> {
            counts.add(Row.of(Tags.of("queue", name, "kind", "pending"), queue.pending()));
            counts.add(Row.of(Tags.of("queue", name, "kind", "admitted"), queue.admitted()));
            counts.add(Row.of(Tags.of("queue", name, "kind", "stuck"), queue.stuck()));
            for (QuotaUsage.Line line : queue.lines()) {
                Tags tags = Tags.of("queue", name, "flavor", line.flavor(), "resource", line.resource());
                lines.add(Row.of(tags.and("kind", "nominal"), line.nominal()));
                lines.add(Row.of(tags.and("kind", "used"), line.used()));
                lines.add(Row.of(tags.and("kind", "earmarked"), line.earmarked()));
                lines.add(Row.of(tags.and("kind", "borrowed"), line.borrowed()));
                lines.add(Row.of(tags.and("kind", "lent"), line.lent()));
                lines.add(Row.of(tags.and("kind", "overcommitted"), line.overcommitted()));
                lines.add(Row.of(tags.and("kind", "pending"), line.pending()));
            }
        });
        workloads.register(counts, true);
        quota.register(lines, true);
    }
}
