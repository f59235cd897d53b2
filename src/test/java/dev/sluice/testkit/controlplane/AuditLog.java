package dev.sluice.testkit.controlplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Every request that the API server answered, failed ones included, in the order of their answers. */
public final class AuditLog {
    private static final Set<String> WRITES = Set.of("create", "update", "patch", "delete", "deletecollection");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;

    AuditLog(Path file) {
        this.file = file;
    }

    /**
     * @param resource with its subresource, such as {@code jobs/status}
     * @param name empty if the request named no object
     * @param status HTTP status of the answer
     */
    public record Request(String user, String verb, String resource, String namespace, String name, int status) {
        public boolean isWrite() {
            return WRITES.contains(verb);
        }
    }

    public List<Request> requests() {
        List<Request> requests = new ArrayList<>();
        try {
            if (!Files.exists(file)) {
                return requests;
            }
            String text = Files.readString(file, StandardCharsets.UTF_8);
            // The last line may be half written.
            List<String> whole =
                    text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
            for (String line : whole) {
                requests.add(request(JSON.readTree(line)));
            }
            return requests;
        } catch (IOException unreadable) {
            throw new UncheckedIOException("cannot read the audit log " + file, unreadable);
        }
    }

    /** Writes to one resource by one user, of any outcome. */
    public List<Request> writes(String user, String resource) {
        return requests().stream()
                .filter(request -> request.isWrite()
                        && request.user().equals(user)
                        && (request.resource().equals(resource)
                                || request.resource().startsWith(resource + "/")))
                .toList();
    }

    private static Request request(JsonNode event) {
        JsonNode object = event.path("objectRef");
        String subresource = object.path("subresource").asText("");
        return new Request(
                event.path("user").path("username").asText(""),
                event.path("verb").asText(""),
                object.path("resource").asText("") + (subresource.isEmpty() ? "" : "/" + subresource),
                object.path("namespace").asText(""),
                object.path("name").asText(""),
                event.path("responseStatus").path("code").asInt());
    }
}
