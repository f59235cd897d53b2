package dev.sluice.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What can be said about the files for deployment without a cluster or an engine for containers. */
class DeploymentFilesTest {
    private static final Path KUBERNETES = Path.of("k8s");

    static List<Path> manifests() throws IOException {
        try (Stream<Path> files = Files.walk(KUBERNETES)) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
    }

    private static List<JsonNode> documents(Path file) throws IOException {
        YAMLMapper mapper = new YAMLMapper();
        try (var values = mapper.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
            return values.readAll();
        }
    }

    @ParameterizedTest
    @MethodSource("manifests")
    void every_document_names_what_it_is(Path manifest) throws IOException {
        assertThat(documents(manifest)).isNotEmpty().allSatisfy(document -> {
            assertThat(document.path("apiVersion").asText()).isNotEmpty();
            assertThat(document.path("kind").asText()).isNotEmpty();
        });
    }

    @Test
    void kustomize_names_files_that_are_there() throws IOException {
        JsonNode resources =
                documents(KUBERNETES.resolve("kustomization.yaml")).getFirst().path("resources");
        assertThat(resources)
                .isNotEmpty()
                .allSatisfy(resource ->
                        assertThat(KUBERNETES.resolve(resource.asText())).isRegularFile());
    }

    @Test
    void the_deployment_asks_the_health_endpoints_and_drops_every_privilege() throws IOException {
        JsonNode container = documents(KUBERNETES.resolve("sluice.yaml")).stream()
                .filter(document -> document.path("kind").asText().equals("Deployment"))
                .findFirst()
                .orElseThrow()
                .at("/spec/template/spec/containers/0");

        assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/q/health/live");
        assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/q/health/ready");
        assertThat(container.at("/startupProbe/httpGet/path").asText()).isEqualTo("/q/health/started");
        assertThat(container.at("/securityContext/allowPrivilegeEscalation").asBoolean(true))
                .isFalse();
    }

    @Test
    void compose_opens_the_service_on_loopback_alone() throws IOException {
        JsonNode ports = documents(Path.of("docker-compose.yml")).getFirst().at("/services/sluice/ports");
        assertThat(ports)
                .hasSize(1)
                .allSatisfy(port -> assertThat(port.asText()).startsWith("127.0.0.1:"));
    }
}
