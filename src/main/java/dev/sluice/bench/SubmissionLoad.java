package dev.sluice.bench;

import dev.sluice.bench.GeneratorPlan.Arrival;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Submits each arrival at its time: one POST for each, or all that are due in one. */
final class SubmissionLoad implements LoadClient.Source {
    private static final int BATCH_MAX = 1_000;
    /** A batch gathers what falls due in this time, as a client that collects its work would. */
    private static final long GATHERING_NANOS = 20_000_000;

    private final List<Arrival> arrivals;
    private final boolean batched;
    private final Distribution latencyMillis = new Distribution();
    private int next;
    private long requests;
    private @Nullable String refusal;

    SubmissionLoad(List<Arrival> arrivals, boolean batched) {
        this.arrivals = arrivals;
        this.batched = batched;
    }

    @Override
    public long nextNanos() {
        if (next >= arrivals.size()) {
            return Long.MAX_VALUE;
        }
        return arrivals.get(next).dueNanos() + (batched ? GATHERING_NANOS : 0);
    }

    @Override
    public byte[] next() {
        requests++;
        if (!batched) {
            return request(
                    "/api/v1/workloads",
                    "application/json",
                    arrivals.get(next++).body());
        }
        long until = nextNanos();
        StringBuilder lines = new StringBuilder();
        for (int count = 0; count < BATCH_MAX && next < arrivals.size(); count++) {
            Arrival arrival = arrivals.get(next);
            if (arrival.dueNanos() > until) {
                break;
            }
            lines.append(arrival.body()).append('\n');
            next++;
        }
        return request("/api/v1/workloads:batch", "application/x-ndjson", lines.toString());
    }

    static byte[] request(String path, String type, String body) {
        // Bodies are ASCII, so that their length in characters is their length in bytes.
        return ("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: " + type
                        + "\r\nAccept: application/json\r\n" + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void answered(byte[] request, int status, byte[] body, long latencyNanos) {
        latencyMillis.add(latencyNanos / 1e6);
        if ((status < 200 || status > 299) && refusal == null) {
            refusal = status + " " + new String(body, StandardCharsets.UTF_8);
        }
    }

    Distribution latencyMillis() {
        return latencyMillis;
    }

    long requests() {
        return requests;
    }

    /** The first answer that was no success; null = there was none. */
    @Nullable String refusal() {
        return refusal;
    }
}
