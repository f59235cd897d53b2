package dev.sluice.api;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The contract as generated is the contract as committed. Refresh it with {@code -Dopenapi.refresh -Dtest=OpenApiTest}. */
@QuarkusTest
class OpenApiTest {
    private static final Path COMMITTED = Path.of("docs", "openapi.yaml");

    @Test
    void the_generated_document_is_the_committed_one() throws IOException {
        String generated =
                given().get("/q/openapi").then().statusCode(200).extract().asString();
        if (System.getProperty("openapi.refresh") != null) {
            Files.createDirectories(COMMITTED.getParent());
            Files.writeString(COMMITTED, generated);
        }

        assertThat(Files.readString(COMMITTED))
                .as("the API changed; if that was meant: ./mvnw test -Dtest=OpenApiTest -Dopenapi.refresh")
                .isEqualTo(generated);
    }
}
