package dev.sluice.platform;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.scheduling.Cluster;
import dev.sluice.workload.WorkloadId;
import io.quarkus.arc.ClientProxy;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import jakarta.inject.Inject;
import java.time.Duration;
import org.awaitility.core.ThrowingRunnable;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A job whose pods succeed and then all start anew, seen by REST, on PostgreSQL and the simulated fleet. */
@QuarkusTest
class ReclaimableOverRestTest {
    private static final String API = "/api/v1";
    private static final String QUEUE = "restarting";

    @Inject
    Cluster cluster;

    @AfterEach
    void leave_nothing_behind() {
        for (String id :
                given().get(API + "/workloads?clusterQueue=" + QUEUE).jsonPath().getList("items.id", String.class)) {
            given().delete(API + "/workloads/" + id);
        }
        soon(() -> assertThat(usage().getString("used")).isEqualTo("0"));
        given().delete(API + "/local-queues/" + QUEUE + "/" + QUEUE);
        given().delete(API + "/cluster-queues/" + QUEUE);
    }

    @Test
    void qm_04_a_job_that_restarts_takes_back_the_quota_of_pods_that_were_done() {
        put("/cluster-queues/" + QUEUE, "{\"quotas\": [{\"resource\": \"cpu\", \"nominal\": \"64\"}]}");
        put("/local-queues/" + QUEUE + "/" + QUEUE, "{\"clusterQueue\": \"" + QUEUE + "\"}");
        SimulatedFleet fleet = (SimulatedFleet) ClientProxy.unwrap(cluster);
        String job = submit("job", 3, 16);
        soon(() -> assertThat(workload(job).getString("state")).isEqualTo("RUNNING"));
        String waiting = submit("patient", 1, 32);
        soon(() -> assertThat(workload(waiting).getString("waiting.reason")).isEqualTo("QUOTA_EXHAUSTED"));

        fleet.succeedPods(new WorkloadId(job), "main", 2);

        soon(() -> assertThat(workload(waiting).getString("state")).isEqualTo("RUNNING"));
        JsonPath shown = workload(job);
        assertThat(shown.getString("reclaimablePods[0].name")).isEqualTo("main");
        assertThat(shown.getInt("reclaimablePods[0].count")).isEqualTo(2);
        assertThat(shown.getString("charge.cpu")).isEqualTo("16");
        assertThat(usage().getString("used")).isEqualTo("48");
        given().delete(API + "/workloads/" + waiting).then().statusCode(Matchers.lessThan(300));
        soon(() -> assertThat(usage().getString("used")).isEqualTo("16"));

        fleet.restart(new WorkloadId(job));

        soon(() -> assertThat(usage().getString("used")).isEqualTo("48"));
        String second = submit("second", 1, 32);
        soon(() -> assertThat(workload(second).getString("waiting.reason")).isEqualTo("QUOTA_EXHAUSTED"));
        assertThat(workload(job).getString("state")).isEqualTo("RUNNING");
        assertThat(workload(job).getList("reclaimablePods")).isEmpty();
    }

    private static String submit(String name, int pods, int cpus) {
        return given().contentType(ContentType.JSON)
                .body("""
                        {"name": "%s", "namespace": "%s", "queue": "%s",
                         "podSets": [{"name": "main", "count": %d, "requests": {"cpu": "%d"}}]}""".formatted(name, QUEUE, QUEUE, pods, cpus))
                .post(API + "/workloads")
                .then()
                .statusCode(201)
                .extract()
                .path("id");
    }

    private static void put(String path, String body) {
        given().contentType(ContentType.JSON).body(body).put(API + path).then().statusCode(Matchers.lessThan(300));
    }

    private static JsonPath workload(String id) {
        return given().get(API + "/workloads/" + id)
                .then()
                .statusCode(200)
                .extract()
                .jsonPath();
    }

    private static JsonPath usage() {
        return given().get(API + "/cluster-queues/" + QUEUE)
                .then()
                .statusCode(200)
                .extract()
                .jsonPath()
                .setRootPath("status.usage.cpu");
    }

    private static void soon(ThrowingRunnable outcome) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(outcome);
    }
}
