package dev.sluice.kubernetes;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Remembers until when the API server asked to be left alone: it does so with {@code Retry-After}, in seconds, when it has too much to
 * do (429) or is about to stop (503). It is meant for everything that this process asks, not for the one request alone. Thread-safe.
 */
final class Patience implements Interceptor {
    static final String NAME = "sluice-patience";

    private static final String HEADER = "Retry-After";
    /** Whatever stands in front of an API server must not silence this process for hours. */
    private static final long SECONDS_MAX = 30;

    private final AtomicLong untilNanos = new AtomicLong(System.nanoTime());

    @Override
    public void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> body) {
        String header = response.header(HEADER);
        if (header != null && (response.code() == 429 || response.code() == 503)) {
            long until = System.nanoTime() + Duration.ofSeconds(seconds(header)).toNanos();
            untilNanos.accumulateAndGet(until, (before, asked) -> before - asked > 0 ? before : asked);
        }
    }

    /** The header may also be a date, which API servers do not send. */
    private static long seconds(String header) {
        try {
            return Math.clamp(Long.parseLong(header.strip()), 0, SECONDS_MAX);
        } catch (NumberFormatException date) {
            return 1;
        }
    }

    /** How long nothing should be asked; zero = ask. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, untilNanos.get() - System.nanoTime()));
    }
}
