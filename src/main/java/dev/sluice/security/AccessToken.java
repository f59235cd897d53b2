package dev.sluice.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
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

    /** What the page's cookie carries in place of the token, so that a cookie that leaks does not give the token away. */
    String cookieValue() {
        try {
            byte[] mac = MessageDigest.getInstance("SHA-256")
                    .digest((new String(expected, StandardCharsets.UTF_8) + "\nsluice cookie")
                            .getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(mac);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java runtime has SHA-256", impossible);
        }
    }

    boolean isShownByCookie(@Nullable String value) {
        return value != null
                && MessageDigest.isEqual(
                        cookieValue().getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
    }

    /** Takes as long for a token that differs in its first character as for one that differs in its last. */
    boolean matches(String shown) {
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
