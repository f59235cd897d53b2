package dev.sluice.platform;

import dev.sluice.admission.Decision;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.BatchObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;

/** Counts what was committed, and nothing else, so that a rolled-back batch is never counted. */
@Singleton
class MetricsObserver implements BatchObserver {
    private final MeterRegistry registry;
    private final Counter batches;
    private final DistributionSummary entriesPerBatch;

    MetricsObserver(MeterRegistry registry) {
        this.registry = registry;
        this.batches = Counter.builder("sluice.batches")
                .description("Committed batches of the leader")
                .register(registry);
        this.entriesPerBatch = DistributionSummary.builder("sluice.batch.entries")
                .description("Log entries in a committed batch")
                .register(registry);
    }

    @Override
    public void committed(Batch batch) {
        batches.increment();
        entriesPerBatch.record(batch.entries().size());
        for (Batch.Entry entry : batch.entries()) {
            if (entry instanceof Batch.Entry.Decided decided) {
                count(decided.decision());
            }
        }
        batch.evictions()
                .forEach(eviction -> registry.counter(
                                "sluice.evictions", "queue", eviction.victimQueue(), "reason", eviction.reason())
                        .increment());
    }

    private void count(Decision decision) {
        switch (decision) {
            case Decision.Admit admit ->
                registry.counter(
                                "sluice.admissions", "queue", admit.assignment().clusterQueue())
                        .increment();
            case Decision.Preempt preempt ->
                registry.counter(
                                "sluice.preemptions",
                                "queue",
                                preempt.assignment().clusterQueue())
                        .increment();
            case Decision.DropEarmark drop ->
                registry.counter("sluice.earmarks.dropped").increment();
            case Decision.Reserve reserve ->
                registry.counter(
                                "sluice.reservations",
                                "queue",
                                reserve.assignment().clusterQueue())
                        .increment();
            case Decision.Unreserve unreserve -> {}
            case Decision.ChangeChecks change -> {}
            case Decision.ScheduleStop stop -> {}
            case Decision.Stuck stuck ->
                registry.counter("sluice.stuck", "queue", stuck.clusterQueue()).increment();
            case Decision.Evict evict -> {}
            case Decision.Become become ->
                registry.counter("sluice.transitions", "state", become.state().name())
                        .increment();
        }
    }
}
