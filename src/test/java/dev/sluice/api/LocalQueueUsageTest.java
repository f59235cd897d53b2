package dev.sluice.api;

import static dev.sluice.api.RestStory.get;
import static dev.sluice.api.RestStory.put;
import static dev.sluice.api.RestStory.submit;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.notNullValue;

import io.quarkus.test.junit.QuarkusTest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a LocalQueue used of late, by REST. */
@QuarkusTest
class LocalQueueUsageTest {
    private static final String CONSUMED = "status.fairSharing.admissionFairSharingStatus.consumedResources";

    private static void queue(String name, String scope) {
        put("/cluster-queues/" + name, "{\"quotas\": [{\"resource\": \"cpu\", \"nominal\": \"4\"}]" + scope + "}")
                .statusCode(201);
        put("/local-queues/" + name + "/" + name, "{\"clusterQueue\": \"" + name + "\"}")
                .statusCode(201);
    }

    @Test
    void a_queue_that_goes_by_usage_tells_what_it_used_and_as_of_when() {
        queue("by-usage", ", \"admissionScope\": {\"admissionMode\": \"UsageBasedAdmissionFairSharing\"}");
        get("/local-queues/by-usage/by-usage").body(CONSUMED + ".size()", equalTo(0));
        String id = submit("by-usage", "w", "4");
        Awaitility.await().untilAsserted(() -> get("/workloads/" + id).body("state", equalTo("RUNNING")));

        get("/local-queues/by-usage/by-usage")
                .body(CONSUMED, hasKey("cpu"))
                .body("status.fairSharing.admissionFairSharingStatus.lastUpdate", notNullValue());
        get("/local-queues?namespace=by-usage")
                .body("items[0]." + CONSUMED, hasKey("cpu"))
                .body("items.size()", greaterThan(0));
    }

    @Test
    void a_queue_that_does_not_go_by_usage_tells_nothing_of_the_kind() {
        queue("in-line", "");

        get("/local-queues/in-line/in-line").body("$", not(hasKey("status")));
    }
}
