package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TokenGateTest {
    private static final String OPEN = "";

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static TokenGate gate(String token, String host) {
        return new TokenGate(() -> Optional.of(token).filter(text -> !text.equals(OPEN)), host);
    }

    private HttpServer serverBehind(TokenGate gate) {
        Router router = Router.router(vertx);
        router.route().handler(gate::handle);
        router.route().handler(request -> request.response().end("inside"));
        return vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private HttpResponse<String> ask(TokenGate gate, String path, String authorization, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + serverBehind(gate).actualPort() + path));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }

    /** The first line of the answer to who calls the service by this name; Java's client lets nobody choose one. */
    private String askUnderName(TokenGate gate, String name) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), serverBehind(gate).actualPort())) {
            socket.getOutputStream()
                    .write(("GET / HTTP/1.1\r\nHost: " + name + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("");
        }
    }

    @Test
    void a_stranger_gets_a_problem_that_says_what_is_needed() throws IOException, InterruptedException {
        HttpResponse<String> answer = ask(gate("s3cret", "0.0.0.0"), "/api/v1/workloads", "");

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(answer.body()).contains("problems/unauthorized").contains("Authorization: Bearer TOKEN");
    }

    @Test
    void the_token_opens_the_gate() throws IOException, InterruptedException {
        assertThat(ask(gate("s3cret", "0.0.0.0"), "/api/v1/workloads", "Bearer s3cret")
                        .body())
                .isEqualTo("inside");
    }

    @Test
    void the_page_is_behind_the_gate_too() throws IOException, InterruptedException {
        assertThat(ask(gate("s3cret", "0.0.0.0"), "/", "").statusCode()).isEqualTo(401);
        assertThat(ask(gate("s3cret", "0.0.0.0"), "/q/healthy", "").statusCode())
                .isEqualTo(401);
        assertThat(ask(gate("s3cret", "0.0.0.0"), "/q/health/../metrics", "").statusCode())
                .isEqualTo(401);
    }

    @Test
    void health_is_told_to_everyone() throws IOException, InterruptedException {
        assertThat(ask(gate("s3cret", "0.0.0.0"), "/q/health/ready", "").body()).isEqualTo("inside");
    }

    @Test
    void without_a_token_everyone_on_loopback_is_let_through() throws IOException, InterruptedException {
        assertThat(ask(gate(OPEN, "127.0.0.1"), "/api/v1/workloads", "").body()).isEqualTo("inside");
    }

    @Test
    void off_loopback_the_service_does_not_start_without_a_token() {
        assertThatThrownBy(() -> gate(OPEN, "0.0.0.0").refuseToStartOpen(new StartupEvent()))
                .hasMessageContaining("0.0.0.0")
                .hasMessageContaining("SLUICE_TOKEN");
        assertThatCode(() -> gate("s3cret", "0.0.0.0").refuseToStartOpen(new StartupEvent()))
                .doesNotThrowAnyException();
        assertThatCode(() -> gate(OPEN, "127.0.0.1").refuseToStartOpen(new StartupEvent()))
                .doesNotThrowAnyException();
    }

    @Test
    void the_page_is_opened_once_with_the_token_and_then_by_its_cookie() throws IOException, InterruptedException {
        HttpResponse<String> entered = ask(gate("s3cret", "0.0.0.0"), "/queues?token=s3cret", "");

        assertThat(entered.statusCode()).isEqualTo(303);
        assertThat(entered.headers().firstValue("Location")).contains("/queues");
        String cookie = entered.headers().firstValue("Set-Cookie").orElseThrow();
        assertThat(cookie).contains("HTTPOnly", "SameSite=Strict").doesNotContain("s3cret");
        String pair = cookie.substring(0, cookie.indexOf(';'));
        assertThat(ask(gate("s3cret", "0.0.0.0"), "/queues", "", "Cookie", pair).body())
                .isEqualTo("inside");
        assertThat(ask(gate("another", "0.0.0.0"), "/queues", "", "Cookie", pair)
                        .statusCode())
                .isEqualTo(401);
        assertThat(ask(gate("s3cret", "0.0.0.0"), "/queues?token=wrong", "").statusCode())
                .isEqualTo(401);
    }

    @Test
    void an_open_service_is_not_spoken_to_under_a_name_from_elsewhere() throws IOException {
        assertThat(askUnderName(gate(OPEN, "127.0.0.1"), "rebound.example.com")).contains("401");
        assertThat(askUnderName(gate(OPEN, "127.0.0.1"), "localhost:8080")).contains("200");
    }
}
