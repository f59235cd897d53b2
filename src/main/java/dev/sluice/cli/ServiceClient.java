package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Asks the service. Every refusal and every failure to reach it is told as {@link CommandFailed}, with the way out. */
final class ServiceClient {
    static final String JSON = "application/json";
    static final String YAML = "application/yaml";
    static final String NDJSON = "application/x-ndjson";

    private static final String BASE = "/api/v1";
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);
    private static final int PAGES_MAX = 10_000;

    private final String server;
    private final @Nullable String token;
    private final ObjectMapper mapper = new ObjectMapper();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();

    ServiceClient(String server, @Nullable String token) {
        this.server = server.replaceAll("/+$", "");
        this.token = token;
    }

    JsonNode get(String path) {
        return json(send(request(path).GET().build(), BodyHandlers.ofString()));
    }

    String getText(String path, String accept) {
        return send(request(path).header("Accept", accept).GET().build(), BodyHandlers.ofString());
    }

    JsonNode post(String path, String contentType, String body, Map<String, String> headers) {
        HttpRequest.Builder request = request(path)
                .header("Content-Type", contentType)
                .header("Accept", JSON)
                .POST(BodyPublishers.ofString(body));
        headers.forEach(request::header);
        return json(send(request.build(), BodyHandlers.ofString()));
    }

    JsonNode delete(String path) {
        return json(send(request(path).DELETE().build(), BodyHandlers.ofString()));
    }

    /** The lines of an endless answer, as they come. Ends when the service closes it. */
    Stream<String> stream(String path, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).header("Accept", "text/event-stream");
        authorize(request);
        headers.forEach(request::header);
        return send(request.GET().build(), BodyHandlers.ofLines());
    }

    /**
     * All pages of a list as one document; {@code next} is left out, the counts are those of the first page.
     *
     * @param itemsMax stops after so many items
     */
    JsonNode getAll(String path, Map<String, String> query, int itemsMax) {
        Map<String, String> parameters = new LinkedHashMap<>(query);
        ObjectNode all = mapper.createObjectNode();
        ArrayNode items = all.putArray("items");
        for (int page = 0; page < PAGES_MAX; page++) {
            JsonNode answer = get(path + queryText(parameters));
            JsonNode pageItems = answer.isArray() ? answer : answer.path("items");
            pageItems.forEach(item -> {
                if (items.size() < itemsMax) {
                    items.add(item);
                }
            });
            if (page == 0 && answer.hasNonNull("counts")) {
                all.set("counts", answer.get("counts"));
            }
            if (!answer.hasNonNull("next") || items.size() >= itemsMax) {
                break;
            }
            parameters.put("after", answer.get("next").asText());
        }
        return all;
    }

    JsonNode parse(String text) {
        try {
            return mapper.readTree(text);
        } catch (JsonProcessingException e) {
            throw CommandFailed.failed("this is no JSON: " + e.getOriginalMessage());
        }
    }

    static String queryText(Map<String, String> parameters) {
        StringBuilder text = new StringBuilder();
        parameters.forEach((name, value) ->
                text.append(text.isEmpty() ? '?' : '&').append(name).append('=').append(encode(value)));
        return text.toString();
    }

    /** One segment of a path or one value of a query. */
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(ANSWER_TIMEOUT);
        authorize(request);
        return request;
    }

    private void authorize(HttpRequest.Builder request) {
        if (token != null && !token.isBlank()) {
            request.header("Authorization", "Bearer " + token);
        }
    }

    private URI uri(String path) {
        try {
            URI uri = URI.create(server + BASE + path);
            if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // told below, as any other address that cannot be one
        }
        throw CommandFailed.wrongUse(
                "--server (or SLUICE_SERVER) must be an address such as http://127.0.0.1:8080, not " + server);
    }

    private <T> T send(HttpRequest request, BodyHandler<T> bodies) {
        HttpResponse<T> response;
        try {
            response = http.send(request, bodies);
        } catch (ConnectException | HttpConnectTimeoutException e) {
            throw CommandFailed.failed("nothing answers at " + server + ".\n"
                    + "  Start the service (./sluice dev, or ./sluice serve), or say where it is: --server URL, or"
                    + " SLUICE_SERVER.");
        } catch (IOException e) {
            throw CommandFailed.failed("the service at " + server + " did not answer: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailed.failed("interrupted while waiting for " + server);
        }
        if (response.statusCode() / 100 != 2) {
            throw CommandFailed.failed(Problems.inWords(response.statusCode(), textOf(response.body()), mapper));
        }
        return response.body();
    }

    private static String textOf(Object body) {
        return body instanceof Stream<?> lines
                ? String.join("\n", lines.map(Object::toString).toList())
                : body.toString();
    }

    private JsonNode json(String body) {
        return body.isBlank() ? mapper.createObjectNode() : parse(body);
    }
}
