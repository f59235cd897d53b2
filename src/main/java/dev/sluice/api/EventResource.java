package dev.sluice.api;

import dev.sluice.api.wire.EventResponse;
import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.JsonBody;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import dev.sluice.overview.EventLogReader;
import dev.sluice.overview.WorkloadReader.LoggedEvent;
import dev.sluice.scheduling.StoreUnavailable;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/**
 * The committed log as server-sent events. An event's id is its position: a client that comes back with {@code Last-Event-ID} goes on
 * exactly there, so one that is too slow is cut off and loses nothing.
 */
@Path("/api/v1/events")
@Singleton
@Tag(name = "observation")
public class EventResource {
    private static final int READ_MAX = 200;
    private static final long LOOK_MILLIS = 1_000;
    private static final long HEARTBEAT_MILLIS = 15_000;
    private static final long SLOW_SECONDS = 10;

    private final EventLogReader log;
    private final LogSignal signal;

    EventResource(EventLogReader log, LogSignal signal) {
        this.log = log;
        this.signal = signal;
    }

    @GET
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @RunOnVirtualThread
    @Operation(
            summary = "Follow the committed log",
            description =
                    "Begins after Last-Event-ID (or the parameter after); without either, at the end of the log. Events"
                            + " carry position, at, kind, workload and body. A comment comes every 15 seconds.")
    public void follow(
            @HeaderParam("Last-Event-ID") @Nullable String lastEventId,
            @QueryParam("after") @Nullable String after,
            @Context SseEventSink sink,
            @Context Sse sse) {
        long position = position(lastEventId == null ? after : lastEventId);
        try (sink) {
            tail(position, sink, sse);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException gone) {
            // The client left or does not read; it knows the last event it had and may come back.
        }
    }

    private long position(@Nullable String given) {
        if (given == null || given.isBlank()) {
            return log.end();
        }
        try {
            long position = Long.parseLong(given.strip());
            if (position >= 0) {
                return position;
            }
        } catch (NumberFormatException notAPosition) {
            // told below
        }
        throw new Rejection(
                ProblemKind.INVALID_PARAMETER,
                "Last-Event-ID must be the id of an event, a whole number of at least 0.",
                List.of(new FieldViolation("Last-Event-ID", given, "must be the id of an event", List.of())));
    }

    private void tail(long from, SseEventSink sink, Sse sse)
            throws InterruptedException, TimeoutException, ExecutionException {
        long position = from;
        long quietMillis = HEARTBEAT_MILLIS;
        while (!sink.isClosed()) {
            long seen = signal.seen();
            List<LoggedEvent> events = read(position);
            for (LoggedEvent event : events) {
                send(sink, event(sse, event));
                position = event.position();
            }
            if (!events.isEmpty()) {
                quietMillis = 0;
                continue;
            }
            if (quietMillis >= HEARTBEAT_MILLIS) {
                send(sink, sse.newEventBuilder().comment("").build());
                quietMillis = 0;
            }
            signal.await(seen, LOOK_MILLIS);
            quietMillis += LOOK_MILLIS;
        }
    }

    /** While the store is away there is nothing new; the stream stays open and goes on. */
    private List<LoggedEvent> read(long position) {
        try {
            return log.after(position, READ_MAX);
        } catch (StoreUnavailable away) {
            return List.of();
        }
    }

    private static OutboundSseEvent event(Sse sse, LoggedEvent event) {
        return sse.newEventBuilder()
                .id(Long.toString(event.position()))
                .name(event.kind())
                .data(String.class, JsonBody.tree(EventResponse.of(event)).toString())
                .build();
    }

    private static void send(SseEventSink sink, OutboundSseEvent event)
            throws InterruptedException, TimeoutException, ExecutionException {
        sink.send(event).toCompletableFuture().get(SLOW_SECONDS, TimeUnit.SECONDS);
    }
}
