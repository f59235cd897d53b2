package dev.sluice.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An HTTP server that gives recorded answers of the API and keeps what it was asked. */
final class RecordedService implements AutoCloseable {
    record Asked(String method, String path, String contentType, String authorization, String key, String body) {}

    private record Answer(int status, String contentType, String body) {}

    private final HttpServer server;
    private final Map<String, Deque<Answer>> answers = new LinkedHashMap<>();
    private final List<Asked> asked = new ArrayList<>();

    RecordedService() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    /** The next answer to this method and path with query; the last one given is repeated. */
    RecordedService when(String request, int status, String body) {
        return when(request, status, status < 400 ? "application/json" : "application/problem+json", body);
    }

    RecordedService when(String request, int status, String contentType, String body) {
        answers.computeIfAbsent(request, unseen -> new ArrayDeque<>()).add(new Answer(status, contentType, body));
        return this;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    synchronized List<Asked> asked() {
        return List.copyOf(asked);
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private synchronized void answer(HttpExchange exchange) throws IOException {
        String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        asked.add(new Asked(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                header(exchange, "Content-Type"),
                header(exchange, "Authorization"),
                header(exchange, "Idempotency-Key"),
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
        Deque<Answer> left = answers.getOrDefault(request, new ArrayDeque<>());
        Answer answer = left.size() > 1 ? left.pop() : left.peek();
        if (answer == null) {
            answer = new Answer(
                    404, "application/problem+json", "{\"title\": \"Not recorded\", \"detail\": \"" + request + "\"}");
        }
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", answer.contentType());
        exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static String header(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }
}
