package dev.sluice.kubernetes.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;

/** The webhooks of {@code k8s/webhooks.yaml}, on loopback. */
final class RegisteredWebhooks {
    private RegisteredWebhooks() {}

    /** The file as it is, but that the API server calls an address instead of a Service. */
    static void register(KubernetesClient client, int port) throws IOException {
        YAMLMapper mapper = new YAMLMapper();
        try (var documents = mapper.readerFor(JsonNode.class)
                .<JsonNode>readValues(Path.of("k8s/webhooks.yaml").toFile())) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                if (document.path("kind").asText().endsWith("WebhookConfiguration")) {
                    document.path("webhooks").forEach(hook -> {
                        ObjectNode config = (ObjectNode) hook.path("clientConfig");
                        String path = config.path("service").path("path").asText();
                        config.removeAll();
                        config.put("url", "https://127.0.0.1:" + port + path);
                    });
                    client.resource(document.toString()).create();
                }
            }
        }
    }
}
