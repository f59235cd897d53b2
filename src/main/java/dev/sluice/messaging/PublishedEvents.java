package dev.sluice.messaging;

import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.reactive.messaging.Incoming;

/** The consumer inside the process: counts what was published by kind, which shows whether the relay keeps up. */
@Singleton
class PublishedEvents {
    private final MeterRegistry registry;

    PublishedEvents(MeterRegistry registry) {
        this.registry = registry;
    }

    @Incoming(OutboxRelay.CHANNEL)
    void published(WorkloadEvent event) {
        registry.counter("sluice.events.published", "kind", event.kind()).increment();
    }
}
