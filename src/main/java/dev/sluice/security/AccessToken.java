package dev.sluice.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The token that opens the service: as {@code Bearer TOKEN}, or as the password of {@code Basic}, since that is what a browser asks
 * a person for.
 */
final class AccessToken {
    private static final String BEARER = "bearer ";
    private static final String BASIC = "basic ";

    private final byte[] expected;

    AccessToken(String token) {
        this.expected = token.getBytes(StandardCharsets.UTF_8);
    }

    /** @param authorization the header of that name; null = the caller sent none */
    boolean isShownBy(@Nullable String authorization) {
        if (authorization == null) {
            return false;
        }
        if (authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return matches(authorization.substring(BEARER.length()).strip());
        }
        if (authorization.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return matches(password(authorization.substring(BASIC.length()).strip()));
        }
        return false;
    }

    /** Takes as long for a token that differs in its first character as for one that differs in its last. */
    private boolean matches(String shown) {
        return MessageDigest.isEqual(expected, shown.getBytes(StandardCharsets.UTF_8));
    }

    private static String password(String encoded) {
        try {
            String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
            return pair.substring(pair.indexOf(':') + 1);
        } catch (IllegalArgumentException notBase64) {
            return "";
        }
    }
}
