package dev.sluice.fleet;

import dev.sluice.scheduling.ClusterUnavailable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Requests to a fleet's server. Whatever is no proper answer is an {@link IOException}. Thread-safe. */
final class FleetLink implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    /** Longer than the server lets a question for observations wait. */
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);

    private final URI url;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();

    FleetLink(URI url) {
        this.url = url;
    }

    <T> T get(String path, Class<T> type) throws IOException, InterruptedException {
        return answer(request(path).GET().build(), type);
    }

    <T> T post(String path, Object message, Class<T> type) throws IOException, InterruptedException {
        return answer(
                request(path)
                        .POST(BodyPublishers.ofByteArray(FleetWire.write(message)))
                        .build(),
                type);
    }

    /** Asks until there is an answer or the patience ends. */
    <T> T ask(String path, Class<T> type, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        Backoff backoff = new Backoff();
        while (true) {
            try {
                return get(path, type);
            } catch (IOException away) {
                if (System.nanoTime() - deadline > 0) {
                    throw new ClusterUnavailable("the fleet at " + url + " does not answer", away);
                }
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
                throw new ClusterUnavailable("interrupted while asking the fleet at " + url, stopping);
            }
            backoff.pauseUnlessInterrupted();
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(url.resolve(path)).timeout(ANSWER_TIMEOUT);
    }

    private <T> T answer(HttpRequest request, Class<T> type) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException("the fleet answered " + response.statusCode());
        }
        return FleetWire.read(response.body(), type);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
