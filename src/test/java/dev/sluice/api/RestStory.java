package dev.sluice.api;

import static io.restassured.RestAssured.given;

import io.restassured.http.ContentType;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;
import java.nio.charset.StandardCharsets;

/** Says in words what a REST test does. Each test uses names of its own, since all share one service. */
final class RestStory {
    static final String BASE = "/api/v1";

    private RestStory() {}

    static RequestSpecification json(String body) {
        // paths are given as they are sent: the client would turn the colon of a custom method into %3A
        return given().urlEncodingEnabled(false).contentType(ContentType.JSON).body(body);
    }

    static RequestSpecification yaml(String body) {
        // as bytes: the client encodes only the text types that it knows
        return given().contentType("application/yaml").body(body.getBytes(StandardCharsets.UTF_8));
    }

    static ValidatableResponse put(String path, String body) {
        return json(body).put(BASE + path).then();
    }

    static ValidatableResponse post(String path, String body) {
        return json(body).post(BASE + path).then();
    }

    static ValidatableResponse get(String path) {
        return given().get(BASE + path).then();
    }

    /** A ClusterQueue with one flavor and a LocalQueue of the same name in a namespace of the same name. */
    static void queue(String name, String cpus) {
        put("/cluster-queues/" + name, """
                {"quotas": [{"resource": "cpu", "nominal": "%s"}, {"resource": "memory", "nominal": "4Gi"}]}""".formatted(cpus)).statusCode(201);
        put("/local-queues/" + name + "/" + name, "{\"clusterQueue\": \"" + name + "\"}")
                .statusCode(201);
    }

    static String workload(String queue, String name, String cpus) {
        return """
                {"name": "%s", "namespace": "%s", "queue": "%s",
                 "podSets": [{"count": 1, "requests": {"cpu": "%s"}}]}""".formatted(name, queue, queue, cpus);
    }

    static String submit(String queue, String name, String cpus) {
        return post("/workloads", workload(queue, name, cpus))
                .statusCode(201)
                .extract()
                .path("id");
    }
}
