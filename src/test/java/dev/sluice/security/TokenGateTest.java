package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
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

    private HttpResponse<String> ask(TokenGate gate, String path, String authorization)
            throws IOException, InterruptedException {
        Router router = Router.router(vertx);
        router.route().handler(gate::handle);
        router.route().handler(request -> request.response().end("inside"));
        HttpServer server = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.actualPort() + path));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
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
}
