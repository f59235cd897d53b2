package dev.sluice.kubernetes.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.SSLOptions;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The two endpoints that the API server calls, over TLS on a port of their own, so that nothing else can be reached by it. Whoever
 * Sluice itself is to the API server is let through: it only does what was decided.
 */
final class JobWebhook implements AutoCloseable {
    static final String DEFAULTS = "/jobs/defaults";
    static final String RULES = "/jobs/rules";

    private static final Logger LOG = Logger.getLogger(JobWebhook.class.getName());
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BODY_MAX = 4 << 20;

    private final Vertx vertx;
    private final WebhookConfig config;
    private final Supplier<@Nullable String> ownUser;
    private final JobDefaults defaults;
    private final JobRules rules;
    private @Nullable HttpServer server;

    /** @param ownUser as whom this process speaks to the API server; null = not known yet */
    JobWebhook(
            Vertx vertx,
            WebhookConfig config,
            Supplier<@Nullable String> ownUser,
            JobDefaults defaults,
            JobRules rules) {
        this.vertx = vertx;
        this.config = config;
        this.ownUser = ownUser;
        this.defaults = defaults;
        this.rules = rules;
    }

    /** Begins to answer, or goes on under another certificate. Connections that are open keep theirs. */
    synchronized void present(Certificates certificates) {
        PemKeyCertOptions pem = new PemKeyCertOptions()
                .addCertValue(io.vertx.core.buffer.Buffer.buffer(certificates.certificate()))
                .addKeyValue(io.vertx.core.buffer.Buffer.buffer(certificates.key()));
        HttpServer running = server;
        if (running != null) {
            running.updateSSLOptions(new SSLOptions().setKeyCertOptions(pem))
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
            return;
        }
        HttpServerOptions options = new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(true)
                .setHost(config.host())
                .setPort(config.port())
                .setKeyCertOptions(pem);
        server = vertx.createHttpServer(options)
                .requestHandler(this::handle)
                .listen()
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        LOG.info(() -> "answers the API server's questions about Jobs on port " + config.port());
    }

    private void handle(HttpServerRequest request) {
        Function<JobReview, JobAnswer> ask = switch (request.path()) {
            case DEFAULTS -> defaults::of;
            case RULES -> rules::of;
            default -> null;
        };
        if (ask == null) {
            answer(request, 404, "nothing is answered at " + request.path());
            return;
        }
        request.body()
                .onFailure(broken -> LOG.log(Level.FINE, "a question broke off", broken))
                .onSuccess(body -> {
                    if (body.length() > BODY_MAX) {
                        answer(request, 413, "the review is larger than " + BODY_MAX + " bytes");
                        return;
                    }
                    vertx.executeBlocking(() -> answer(ask, body.getBytes()), false)
                            .onSuccess(review -> request.response()
                                    .putHeader("Content-Type", "application/json")
                                    .end(review))
                            .onFailure(failure -> failed(request, failure));
                });
    }

    private String answer(Function<JobReview, JobAnswer> ask, byte[] body) {
        JobReview review = read(body);
        JobAnswer answer = review.user().equals(ownUser.get()) ? JobAnswer.allowed() : ask.apply(review);
        return answer.toReview(review.uid()).toString();
    }

    private static JobReview read(byte[] body) {
        try {
            JsonNode review = JSON.readTree(body);
            return JobReview.of(review == null ? JSON.nullNode() : review);
        } catch (JsonProcessingException malformed) {
            throw new MalformedReview("the body is not JSON: " + malformed.getOriginalMessage());
        } catch (java.io.IOException impossible) {
            throw new CompletionException(impossible);
        }
    }

    private static void failed(HttpServerRequest request, Throwable failure) {
        if (failure instanceof MalformedReview malformed) {
            answer(request, 400, String.valueOf(malformed.getMessage()));
        } else {
            // The API server goes on by the webhook's failure policy.
            LOG.log(Level.SEVERE, "a question about a Job could not be answered", failure);
            answer(request, 500, "the question could not be answered; the log of the service tells why");
        }
    }

    private static void answer(HttpServerRequest request, int status, String text) {
        request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "text/plain; charset=utf-8")
                .end(text);
    }

    /** Which port it listens on; 0 = it does not yet. */
    synchronized int port() {
        return server == null ? 0 : server.actualPort();
    }

    @Override
    public synchronized void close() {
        if (server != null) {
            server.close().toCompletionStage().toCompletableFuture().join();
            server = null;
        }
    }
}
