package dev.sluice.security;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Lets through who shows the token, on every path but the health checks, which a cluster asks without one. A service that others
 * can reach does not start without a token.
 */
@Singleton
public class TokenGate {
    private static final String HEALTH = "/q/health";
    /** Before everything else, so that nothing is read from a stranger. */
    private static final int FIRST = 10_000;

    private final @Nullable AccessToken token;
    private final String host;

    TokenGate(SecurityConfig config, @ConfigProperty(name = "quarkus.http.host") String host) {
        this.token = config.token()
                .filter(text -> !text.isBlank())
                .map(AccessToken::new)
                .orElse(null);
        this.host = host;
    }

    void refuseToStartOpen(@Observes StartupEvent start) {
        if (token == null && !isLoopback(host)) {
            throw new IllegalStateException(
                    "the service would listen on " + host + " without a token, so that everyone on the"
                            + " network could use it; set sluice.security.token (SLUICE_TOKEN), or listen on 127.0.0.1");
        }
    }

    void stand(@Observes Filters filters) {
        filters.register(this::handle, FIRST);
    }

    void handle(RoutingContext request) {
        if (token == null
                || isHealth(request.normalizedPath())
                || token.isShownBy(request.request().getHeader(HttpHeaders.AUTHORIZATION))) {
            request.next();
            return;
        }
        request.response()
                .setStatusCode(401)
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/problem+json")
                .putHeader("WWW-Authenticate", "Bearer realm=\"sluice\", Basic realm=\"sluice\"")
                .end(problem(request.normalizedPath()).encode());
    }

    private static JsonObject problem(String path) {
        return new JsonObject()
                .put("type", "https://sluice.dev/problems/unauthorized")
                .put("title", "A token is needed")
                .put("status", 401)
                .put("detail", "Show the service's token as Authorization: Bearer TOKEN.")
                .put("instance", path);
    }

    private static boolean isHealth(String path) {
        return path.equals(HEALTH) || path.startsWith(HEALTH + "/");
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            return false;
        }
    }
}
