package dev.sluice.testkit.controlplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
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

    /**
     * A change of a Job or a pod, with what was asked and what was answered.
     *
     * @param subresource empty = the object itself
     * @param request missing if it had no body
     * @param response the object as it was stored, or a {@code Status}
     */
    public record Change(
            String user,
            String verb,
            String resource,
            String subresource,
            int status,
            Instant at,
            JsonNode request,
            JsonNode response) {
        /** Of the whole store, when it had taken hold. */
        long revision() {
            return response.path("metadata").path("resourceVersion").asLong();
        }
    }

    /** What is logged: every request of everybody but the control plane's own parts. */
    static String policy(boolean withBodies) {
        return """
                apiVersion: audit.k8s.io/v1
                kind: Policy
                omitStages: [RequestReceived, ResponseStarted]
                rules:
                %s- level: None
                  users: [system:apiserver, kube-controller-manager, kube-scheduler]
                - level: None
                  nonResourceURLs: ["*"]
                - level: Metadata
                """.formatted(withBodies ? """
                - level: RequestResponse
                  verbs: [create, update, patch, delete, deletecollection]
                  resources:
                  - {group: batch, resources: [jobs, jobs/status]}
                  - {group: "", resources: [pods, pods/status]}
                """ : "");
    }

    public List<Request> requests() {
        return events().stream().map(AuditLog::request).toList();
    }

    /**
     * Of a control plane whose log has bodies: whatever succeeded in changing a Job or a pod, in the order in which it took hold; what
     * was only tried out changed nothing and is left out. The
     * lines of the log are in the order in which answers were sent, which is another when the machine is busy.
     */
    public List<Change> changes() {
        return events().stream()
                .filter(event -> event.path("level").asText().equals("RequestResponse"))
                .filter(event -> !event.path("requestURI").asText().contains("dryRun="))
                .map(AuditLog::change)
                .filter(change -> change.status() < 300)
                .sorted(Comparator.comparingLong(Change::revision))
                .toList();
    }

    private List<JsonNode> events() {
        List<JsonNode> events = new ArrayList<>();
        try {
            if (!Files.exists(file)) {
                return events;
            }
            String text = Files.readString(file, StandardCharsets.UTF_8);
            // The last line may be half written.
            List<String> whole =
                    text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
            for (String line : whole) {
                events.add(JSON.readTree(line));
            }
            return events;
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

    private static Change change(JsonNode event) {
        JsonNode object = event.path("objectRef");
        return new Change(
                event.path("user").path("username").asText(""),
                event.path("verb").asText(""),
                object.path("resource").asText(""),
                object.path("subresource").asText(""),
                event.path("responseStatus").path("code").asInt(),
                Instant.parse(event.path("stageTimestamp").asText()),
                event.path("requestObject"),
                event.path("responseObject"));
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
