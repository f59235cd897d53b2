package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTokenTest {
    private final AccessToken token = new AccessToken("s3cret");

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void the_token_opens_as_bearer_and_as_a_password() {
        assertThat(token.isShownBy("Bearer s3cret")).isTrue();
        assertThat(token.isShownBy("bearer  s3cret ")).isTrue();
        assertThat(token.isShownBy(basic("anyone:s3cret"))).isTrue();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {"", "s3cret", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3crets", "Basic !!", "Digest s3cret"
            })
    void nothing_else_opens(String authorization) {
        assertThat(token.isShownBy(authorization)).isFalse();
        assertThat(token.isShownBy(basic("s3cret:other"))).isFalse();
    }
}
