package dev.sluice.api.wire;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.CheckStatus;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How an admission check of a workload stands, as whoever does it says.
 *
 * @param state {@code Pending}, {@code Ready}, {@code Retry} or {@code Rejected}
 * @param message null = nothing to say
 * @param retryAfter of a {@code Retry}, ISO 8601: how long until the next try; null = by the number of tries
 */
public record CheckUpdate(
        @Nullable String state,
        @Nullable String message,
        @Nullable String retryAfter) {
    private static final int MESSAGE_MAX = 32_768;

    /** What was said, free of mistakes. */
    public record Said(
            CheckStatus.State state,
            String message,
            @Nullable Duration retryAfter) {}

    /** @throws Rejection naming every mistake */
    public static Said of(JsonNode tree) {
        CheckUpdate update = JsonBody.bind(tree, CheckUpdate.class);
        Mistakes mistakes = new Mistakes();
        String word = mistakes.required("state", update.state());
        CheckStatus.State state = Choice.CHECK_STATE.read("state", word, CheckStatus.State.PENDING, mistakes);
        Duration retryAfter = NativeWorkload.duration("retryAfter", update.retryAfter(), mistakes);
        if (update.retryAfter() != null && state != CheckStatus.State.RETRY) {
            mistakes.add("retryAfter", update.retryAfter(), "belongs to the state Retry only");
        }
        String message = Objects.requireNonNullElse(update.message(), "");
        if (message.length() > MESSAGE_MAX) {
            mistakes.add("message", message.length() + " characters", "must have at most " + MESSAGE_MAX);
        }
        mistakes.orThrow();
        return new Said(state, message, retryAfter);
    }
}
