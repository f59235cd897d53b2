package dev.sluice.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.api.manifest.YamlDocuments;
import dev.sluice.api.wire.JsonBody;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads request bodies by their media type, within limits. */
final class Bodies {
    static final int SINGLE_BYTES_MAX = 1 << 20;
    static final int MANY_BYTES_MAX = 16 << 20;

    static final String JSON = "application/json";
    static final String NDJSON = "application/x-ndjson";
    static final String YAML = "application/yaml";
    static final String X_YAML = "application/x-yaml";
    static final String TEXT_YAML = "text/yaml";

    private Bodies() {}

    static boolean isYaml(@Nullable String contentType) {
        return contentType != null && contentType.toLowerCase(Locale.ROOT).contains("yaml");
    }

    static boolean isNdjson(@Nullable String contentType) {
        return contentType != null && contentType.toLowerCase(Locale.ROOT).contains("ndjson");
    }

    /** @throws Rejection if there is no body or too much of it */
    static byte[] checked(byte @Nullable [] body, int bytesMax) {
        if (body == null || body.length == 0) {
            throw new Rejection(ProblemKind.EMPTY_BODY, "The body is empty; a document was expected.");
        }
        if (body.length > bytesMax) {
            throw new Rejection(
                    ProblemKind.BODY_TOO_LARGE,
                    "The body has " + body.length + " bytes; at most " + bytesMax + " are taken here.");
        }
        return body;
    }

    /** Every document of the body; JSON has one. */
    static List<JsonNode> documents(byte[] body, @Nullable String contentType) {
        if (!isYaml(contentType)) {
            return List.of(JsonBody.parse(body));
        }
        List<JsonNode> documents = YamlDocuments.parse(body);
        if (documents.isEmpty()) {
            throw new Rejection(ProblemKind.EMPTY_BODY, "The body holds no document.");
        }
        return documents;
    }

    static JsonNode document(byte[] body, @Nullable String contentType) {
        List<JsonNode> documents = documents(body, contentType);
        if (documents.size() > 1) {
            throw new Rejection(
                    ProblemKind.MALFORMED_BODY,
                    "The body holds " + documents.size() + " documents; one is taken here.");
        }
        return documents.getFirst();
    }

    static String hash(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java runtime has SHA-256", impossible);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
