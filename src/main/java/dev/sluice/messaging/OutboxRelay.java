package dev.sluice.messaging;

import dev.sluice.overview.EventLogReader;
import dev.sluice.overview.WorkloadReader.LoggedEvent;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.BatchObserver;
import dev.sluice.scheduling.LeaderLoop;
import dev.sluice.scheduling.OutboxPositions;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.ce.OutgoingCloudEventMetadata;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.net.URI;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;

/**
 * Publishes the log to the channel {@code workload-events}, in order and at least once: the position moves only after the channel took
 * the messages. Only the leader's process relays, so that one workload's events keep their order.
 */
@Singleton
class OutboxRelay implements BatchObserver {
    static final String CHANNEL = "workload-events";
    static final String READER = "messaging";

    private static final Logger LOG = Logger.getLogger(OutboxRelay.class.getName());
    private static final int ENTRIES_MAX = 500;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final URI SOURCE = URI.create("/sluice/log");

    private final EventLogReader log;
    private final OutboxPositions positions;
    private final Instance<LeaderLoop> loop;
    private final MutinyEmitter<WorkloadEvent> channel;
    private final Semaphore hint = new Semaphore(0);
    private final Thread thread =
            Thread.ofPlatform().name("sluice-relay").daemon().unstarted(this::run);
    private volatile boolean closed;

    OutboxRelay(
            EventLogReader log,
            OutboxPositions positions,
            Instance<LeaderLoop> loop,
            @Channel(CHANNEL) MutinyEmitter<WorkloadEvent> channel) {
        this.log = log;
        this.positions = positions;
        this.loop = loop;
        this.channel = channel;
    }

    void start(@Observes StartupEvent started) {
        thread.start();
    }

    void stop(@Observes ShutdownEvent stopping) {
        closed = true;
        thread.interrupt();
    }

    @Override
    public void committed(Batch batch) {
        hint.release();
    }

    private void run() {
        String trouble = null;
        while (!closed) {
            try {
                // A hint per batch; without one the log is looked at once a second all the same.
                boolean hinted = hint.tryAcquire(1, TimeUnit.SECONDS);
                if (hinted) {
                    hint.drainPermits();
                }
                while (loop.get().isLeading() && relay()) {
                    trouble = null;
                }
            } catch (InterruptedException stopping) {
                closed = true;
            } catch (RuntimeException failed) {
                // The outermost place of this thread. A store that is away is the usual cause, and is treated as any
                // other: events wait in the log, and are tried again with the next hint.
                trouble = said(trouble, failed);
            }
        }
    }

    private static String said(@org.jspecify.annotations.Nullable String before, RuntimeException failed) {
        String now = String.valueOf(failed.getMessage());
        if (!now.equals(before) && !Thread.currentThread().isInterrupted()) {
            LOG.log(Level.WARNING, "events wait in the log", failed);
        }
        return now;
    }

    /** Publishes the next entries; false = there were none, or another relay is at it. */
    private boolean relay() {
        long from = positions.position(READER);
        List<LoggedEvent> entries = log.after(from, ENTRIES_MAX);
        for (LoggedEvent entry : entries) {
            channel.sendMessage(message(entry)).await().atMost(PATIENCE);
        }
        return !entries.isEmpty()
                && positions.advance(READER, from, entries.getLast().position());
    }

    private static Message<WorkloadEvent> message(LoggedEvent entry) {
        String workload = entry.workload() == null ? null : entry.workload().value();
        Map<String, Object> body = entry.body().entrySet().stream()
                .filter(field -> field.getValue() != null)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        OutgoingCloudEventMetadata<WorkloadEvent> metadata = OutgoingCloudEventMetadata.<WorkloadEvent>builder()
                .withId(Long.toString(entry.position()))
                .withSource(SOURCE)
                .withType("dev.sluice." + entry.kind())
                .withSubject(workload == null ? "" : workload)
                .withTimestamp(entry.at().atZone(ZoneOffset.UTC))
                .build();
        return Message.of(new WorkloadEvent(
                        WorkloadEvent.SCHEMA, entry.position(), entry.at(), entry.kind(), workload, body))
                .addMetadata(metadata);
    }
}
