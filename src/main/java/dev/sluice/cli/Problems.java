package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;

/** Puts a problem document (RFC 9457) in a person's words: what is wrong, where, and what would be right. */
final class Problems {
    private Problems() {}

    static String inWords(int status, String body, ObjectMapper mapper) {
        JsonNode problem;
        try {
            problem = mapper.readTree(body);
        } catch (JsonProcessingException e) {
            problem = mapper.createObjectNode();
        }
        if (problem == null || !problem.isObject()) {
            problem = mapper.createObjectNode();
        }
        StringBuilder text = new StringBuilder(sentence(status, problem));
        for (JsonNode violation : problem.path("violations")) {
            text.append("\n  ").append(inWords(violation));
        }
        String wayOut = wayOut(status);
        if (!wayOut.isEmpty()) {
            text.append("\n  ").append(wayOut);
        }
        return text.toString();
    }

    /** One violation: field, value, rule and the nearest valid choices. */
    static String inWords(JsonNode violation) {
        StringBuilder text = new StringBuilder(violation.path("field").asText("?"));
        if (violation.hasNonNull("value")) {
            JsonNode value = violation.get("value");
            text.append(": ").append(value.isTextual() ? "\"" + value.asText() + "\"" : value.toString());
        }
        text.append(' ')
                .append(violation.path("rule").asText(violation.path("message").asText("is not valid")));
        List<String> nearest = new ArrayList<>();
        violation.path("nearest").forEach(choice -> nearest.add(choice.asText()));
        if (!nearest.isEmpty()) {
            text.append("; did you mean ").append(String.join(" or ", nearest)).append('?');
        }
        return text.toString();
    }

    private static String sentence(int status, JsonNode problem) {
        String title = problem.path("title").asText("");
        String detail = problem.path("detail").asText("");
        if (title.isEmpty() && detail.isEmpty()) {
            return "the service answered " + status + " without saying why.";
        }
        if (detail.isEmpty() || detail.equals(title)) {
            return title + " (" + status + ")";
        }
        return title.isEmpty() ? detail + " (" + status + ")" : title + " (" + status + "): " + detail;
    }

    private static String wayOut(int status) {
        return switch (status) {
            case 401 -> "This service wants a token: --token TOKEN, or SLUICE_TOKEN.";
            case 403 -> "The token is known but may not do this; use one that may.";
            case 409, 412 -> "It was changed meanwhile: look at it as it is now, and try again.";
            case 413 -> "Send less at once, for example in several files.";
            case 429, 503 -> "Nothing is wrong with the request: try again in a moment.";
            default -> "";
        };
    }
}
