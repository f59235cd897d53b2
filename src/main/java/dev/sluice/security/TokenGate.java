package dev.sluice.security;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Lets through who shows the token, on every path but the health checks, which a cluster asks without one: as a header, or as the
 * cookie that a browser gets when it opens the page once with {@code ?token=}. A service that others can reach does not start
 * without a token.
 */
@Singleton
public class TokenGate {
    private static final String HEALTH = "/q/health";
    /** Before everything else, so that nothing is read from a stranger. */
    private static final int FIRST = 10_000;

    private static final String COOKIE = "sluice_token";
    private static final String PARAMETER = "token";
    private static final Pattern LOOPBACK_NAME = Pattern.compile("(?i)localhost|\\[?::1]?|127(\\.[0-9]{1,3}){3}");

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
        String path = request.normalizedPath();
        if (token == null) {
            if (isMeantForLoopback(request.request().authority())) {
                request.next();
            } else {
                refuse(request, "Without a token the service answers as localhost or 127.0.0.1 only.");
            }
        } else if (isHealth(path)
                || token.isShownBy(request.request().getHeader(HttpHeaders.AUTHORIZATION))
                || token.isShownByCookie(cookie(request))) {
            request.next();
        } else if (request.queryParams().contains(PARAMETER)
                && token.matches(request.queryParams().get(PARAMETER))) {
            enter(request, token);
        } else {
            refuse(
                    request,
                    "Show the service's token as Authorization: Bearer TOKEN, or open the page with ?token=TOKEN.");
        }
    }

    /**
     * A web page elsewhere can make a name of its own mean 127.0.0.1 and have a visitor's browser speak with an open service; the
     * name gives it away. Only the name is looked at: asking for its address would be asking the attacker.
     */
    private static boolean isMeantForLoopback(@Nullable HostAndPort authority) {
        return authority == null || LOOPBACK_NAME.matcher(authority.host()).matches();
    }

    private static @Nullable String cookie(RoutingContext request) {
        Cookie cookie = request.request().getCookie(COOKIE);
        return cookie == null ? null : cookie.getValue();
    }

    /** Goes on without the token in the address, where histories and logs would keep it. */
    private static void enter(RoutingContext request, AccessToken token) {
        request.response()
                .addCookie(Cookie.cookie(COOKIE, token.cookieValue())
                        .setHttpOnly(true)
                        .setSameSite(CookieSameSite.STRICT)
                        .setSecure(request.request().isSSL())
                        .setPath("/"))
                .setStatusCode(303)
                .putHeader(HttpHeaders.LOCATION, request.normalizedPath())
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .end();
    }

    private static void refuse(RoutingContext request, String detail) {
        request.response()
                .setStatusCode(401)
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/problem+json")
                .putHeader("WWW-Authenticate", "Bearer realm=\"sluice\", Basic realm=\"sluice\"")
                .end(problem(request.normalizedPath(), detail).encode());
    }

    private static JsonObject problem(String path, String detail) {
        return new JsonObject()
                .put("type", "https://sluice.dev/problems/unauthorized")
                .put("title", "A token is needed")
                .put("status", 401)
                .put("detail", detail)
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
