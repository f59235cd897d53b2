package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Questions and edits over REST that are not themselves measured. Thread-safe. */
final class RestClient implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int PAGE_SIZE = 500;
    private static final int ATTEMPTS_MAX = 60;

    private final URI url;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    RestClient(URI url) {
        this.url = url;
    }

    /** All or nothing; Kubernetes documents apart by {@code ---}. */
    void apply(String documents) throws InterruptedException {
        Answer answer = post("/api/v1/apply", "application/yaml", documents, Map.of());
        if (answer.status() != 200) {
            throw new BenchFailed("the configuration was refused: " + answer.status() + " " + answer.body());
        }
    }

    Answer post(String path, String type, String body, Map<String, String> headers) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(url.resolve(path))
                .timeout(TIMEOUT)
                .header("Content-Type", type)
                .POST(BodyPublishers.ofString(body));
        headers.forEach(request::header);
        return send(request.build());
    }

    JsonNode get(String path) throws InterruptedException {
        Answer answer =
                send(HttpRequest.newBuilder(url.resolve(path)).timeout(TIMEOUT).build());
        if (answer.status() != 200) {
            throw new BenchFailed("GET " + path + " was answered " + answer.status() + " " + answer.body());
        }
        return answer.json();
    }

    /** How many workloads stand in a state. */
    long count(String state) throws InterruptedException {
        return getPatiently("/api/v1/workloads?limit=1")
                .path("counts")
                .path(state)
                .asLong();
    }

    /** Asks again while a service under full load, or one that starts, cannot answer. */
    JsonNode getPatiently(String path) throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                Answer answer = send(HttpRequest.newBuilder(url.resolve(path))
                        .timeout(TIMEOUT)
                        .build());
                if (answer.status() == 200) {
                    return answer.json();
                }
                if (answer.status() < 500 || attempt == ATTEMPTS_MAX) {
                    throw new BenchFailed("GET " + path + " was answered " + answer.status() + " " + answer.body());
                }
            } catch (ServiceAway away) {
                if (attempt == ATTEMPTS_MAX) {
                    throw away;
                }
            }
            TimeUnit.SECONDS.sleep(1);
        }
    }

    void eachWorkload(Consumer<JsonNode> workload) throws InterruptedException {
        String after = "";
        while (true) {
            JsonNode page = getPatiently("/api/v1/workloads?limit=" + PAGE_SIZE + after);
            page.path("items").forEach(workload);
            if (page.path("next").isNull() || page.path("next").isMissingNode()) {
                return;
            }
            after = "&after=" + page.path("next").asText();
        }
    }

    private Answer send(HttpRequest request) throws InterruptedException {
        try {
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException away) {
            throw new ServiceAway(request.uri(), away);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }

    record Answer(int status, String body) {
        JsonNode json() {
            try {
                return MAPPER.readTree(body);
            } catch (IOException notJson) {
                throw new BenchFailed("not JSON: " + body, notJson);
            }
        }
    }

    /** No answer came; what was asked may have been done or not. */
    static final class ServiceAway extends RuntimeException {
        ServiceAway(URI asked, IOException cause) {
            super("no answer from " + asked + ": " + cause, cause);
        }
    }
}
