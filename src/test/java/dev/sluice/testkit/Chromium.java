package dev.sluice.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A headless Chromium with one page, driven over its DevTools protocol. The browser is the installed one; {@code SLUICE_CHROMIUM}
 * names another. Nothing is downloaded.
 */
public final class Chromium implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final List<String> OPTIONS = List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--remote-debugging-port=0");

    private final Process process;
    private final Path profile;
    private final WebSocket socket;
    private final Map<Integer, CompletableFuture<JsonNode>> open;
    private final AtomicInteger lastId = new AtomicInteger();

    private Chromium(Process process, Path profile, WebSocket socket, Map<Integer, CompletableFuture<JsonNode>> open) {
        this.process = process;
        this.profile = profile;
        this.socket = socket;
        this.open = open;
    }

    public static Chromium start() {
        try {
            Path profile = Files.createTempDirectory("sluice-chromium");
            List<String> command = new ArrayList<>(List.of(executable().toString()));
            command.addAll(OPTIONS);
            command.addAll(List.of("--user-data-dir=" + profile, "about:blank"));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Path port = profile.resolve("DevToolsActivePort");
            Awaitility.await("Chromium to open its DevTools port")
                    .atMost(PATIENCE)
                    .until(() -> Files.exists(port) && Files.readAllLines(port).size() > 1);
            Map<Integer, CompletableFuture<JsonNode>> open = new ConcurrentHashMap<>();
            HttpClient client = HttpClient.newHttpClient();
            WebSocket socket = client.newWebSocketBuilder()
                    .buildAsync(pageOf(client, Files.readAllLines(port).getFirst()), new Answers(open))
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            Chromium chromium = new Chromium(process, profile, socket, open);
            chromium.send("Page.enable", MAPPER.createObjectNode());
            return chromium;
        } catch (IOException failed) {
            throw new IllegalStateException("Chromium could not be started", failed);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException failed) {
            throw new IllegalStateException("Chromium does not talk", failed);
        }
    }

    public void open(String url) {
        send("Page.navigate", MAPPER.createObjectNode().put("url", url));
    }

    /** Value of a JavaScript expression, as text. */
    public String evaluate(String expression) {
        JsonNode result = send(
                "Runtime.evaluate",
                MAPPER.createObjectNode().put("expression", expression).put("returnByValue", true));
        return result.path("result").path("value").asText();
    }

    /** What a person reads on the page. */
    public String text() {
        return evaluate("document.body ? document.body.innerText : ''");
    }

    @Override
    public void close() {
        socket.abort();
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException stopping) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        try (Stream<Path> files = Files.walk(profile)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | java.io.UncheckedIOException stillWriting) {
            // A last child of the browser may still write there; the folder is a temporary one.
            profile.toFile().deleteOnExit();
        }
    }

    private JsonNode send(String method, ObjectNode parameters) {
        int id = lastId.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        open.put(id, answer);
        ObjectNode message = MAPPER.createObjectNode().put("id", id).put("method", method);
        message.set("params", parameters);
        socket.sendText(message.toString(), true).join();
        return answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static URI pageOf(HttpClient client, String port) throws IOException, InterruptedException {
        String targets = client.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
        for (JsonNode target : MAPPER.readTree(targets)) {
            if (target.path("type").asText().equals("page")) {
                return URI.create(target.path("webSocketDebuggerUrl").asText());
            }
        }
        throw new IllegalStateException("Chromium has no page: " + targets);
    }

    private static Path executable() {
        String named = System.getenv("SLUICE_CHROMIUM");
        if (named != null && !named.isBlank()) {
            return Path.of(named);
        }
        return onPath().orElseThrow(
                        () -> new AssertionError(
                                "This test drives a real browser and found none of "
                                        + String.join(", ", NAMES)
                                        + " on the PATH. Install one (apt-get install chromium), or name it: SLUICE_CHROMIUM=/path/to/chromium"));
    }

    private static Optional<Path> onPath() {
        String path = System.getenv().getOrDefault("PATH", "");
        return NAMES.stream()
                .flatMap(name ->
                        Stream.of(path.split(java.io.File.pathSeparator)).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static final class Answers implements WebSocket.Listener {
        private final Map<Integer, CompletableFuture<JsonNode>> open;
        private final StringBuilder text = new StringBuilder();

        Answers(Map<Integer, CompletableFuture<JsonNode>> open) {
            this.open = open;
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                answer(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        private void answer(String message) {
            try {
                JsonNode node = MAPPER.readTree(message);
                CompletableFuture<JsonNode> waiting =
                        open.remove(node.path("id").asInt(-1));
                if (waiting != null) {
                    waiting.complete(node.path("result"));
                }
            } catch (IOException broken) {
                throw new IllegalStateException("Chromium said what is not JSON: " + message, broken);
            }
        }
    }
}
