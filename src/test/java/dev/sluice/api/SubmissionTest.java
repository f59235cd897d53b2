package dev.sluice.api;

import static dev.sluice.api.RestStory.get;
import static dev.sluice.api.RestStory.post;
import static dev.sluice.api.RestStory.queue;
import static dev.sluice.api.RestStory.submit;
import static dev.sluice.api.RestStory.workload;
import static org.hamcrest.Matchers.equalTo;

import io.quarkus.test.junit.QuarkusTest;
import org.junit.jupiter.api.Test;

@QuarkusTest
class SubmissionTest {
    @Test
    void a_workload_is_taken_and_read_back() {
        queue("read-back", "4");

        String id = submit("read-back", "w", "1");

        get("/workloads/" + id).statusCode(200).body("name", equalTo("w"), "charge.cpu", equalTo("1"));
    }

    @Test
    void an_unknown_queue_is_refused_with_the_nearest_names() {
        queue("team-a", "4");

        post("/workloads", workload("team-a", "w", "1").replace("\"queue\": \"team-a\"", "\"queue\": \"team-x\""))
                .statusCode(422)
                .contentType("application/problem+json")
                .body(
                        "type", equalTo("https://sluice.dev/problems/unknown-queue"),
                        "status", equalTo(422),
                        "instance", equalTo("/api/v1/workloads"),
                        "violations[0].field", equalTo("queue"),
                        "violations[0].value", equalTo("team-x"),
                        "violations[0].rule", equalTo("must name an existing LocalQueue of the namespace"),
                        "violations[0].nearest[0]", equalTo("team-a"));
    }
}
