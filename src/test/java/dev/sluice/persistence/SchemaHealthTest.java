package dev.sluice.persistence;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.equalTo;

import io.quarkus.test.junit.QuarkusTest;
import org.junit.jupiter.api.Test;

@QuarkusTest
class SchemaHealthTest {
    @Test
    void readiness_tells_that_the_schema_is_current() {
        given().get("/q/health/ready")
                .then()
                .statusCode(200)
                .body("checks.find { it.name == 'schema' }.status", equalTo("UP"))
                .body("checks.find { it.name == 'schema' }.data.version", equalTo("008"))
                .body("checks.find { it.name == 'schema' }.data.pendingMigrations", equalTo(0));
    }
}
