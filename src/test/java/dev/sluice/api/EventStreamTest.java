package dev.sluice.api;

import static dev.sluice.api.RestStory.BASE;
import static dev.sluice.api.RestStory.queue;
import static dev.sluice.api.RestStory.submit;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
class EventStreamTest {
    @Test
    void the_log_is_followed_and_taken_up_again_where_it_was_left() throws IOException, InterruptedException {
        queue("events", "4");
        String id = submit("events", "w", "1");

        List<String> first = untilDataOf(id, "0");
        String lastId = first.stream()
                .filter(line -> line.startsWith("id:"))
                .toList()
                .getLast()
                .substring(3)
                .strip();
        List<String> more = untilDataOf(id, lastId);

        assertThat(first).anyMatch(line -> line.startsWith("event:"));
        long next = Long.parseLong(more.stream()
                .filter(line -> line.startsWith("id:"))
                .findFirst()
                .orElseThrow()
                .substring(3)
                .strip());
        assertThat(next).isEqualTo(Long.parseLong(lastId) + 1);
    }

    @Test
    void a_last_event_id_that_is_none_is_refused() {
        given().header("Last-Event-ID", "soon").get(BASE + "/events").then().statusCode(400);
    }

    /** Lines up to the data of the workload's next event; the stream is closed then. */
    private static List<String> untilDataOf(String workload, String lastEventId)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + RestAssured.port + BASE + "/events"))
                .header("Last-Event-ID", lastEventId)
                .timeout(Duration.ofSeconds(60))
                .build();
        List<String> lines = new ArrayList<>();
        boolean seen = false;
        try (HttpClient client = HttpClient.newHttpClient();
                InputStream body =
                        client.send(request, BodyHandlers.ofInputStream()).body()) {
            BufferedReader reader = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null && !seen; line = reader.readLine()) {
                lines.add(line);
                seen = line.startsWith("data:") && line.contains(workload);
            }
            client.shutdownNow();
        }
        return lines;
    }
}
