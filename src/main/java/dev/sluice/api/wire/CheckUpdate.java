package dev.sluice.api.wire;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.CheckStatus;
import dev.sluice.scheduling.Command;
import dev.sluice.workload.PodSetUpdate;
import dev.sluice.workload.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How an admission check of a workload stands, as whoever does it says.
 *
 * @param state {@code Pending}, {@code Ready}, {@code Retry} or {@code Rejected}
 * @param message null = nothing to say
 * @param retryAfter of a {@code Retry}, ISO 8601: how long until the next try; null = by the number of tries
 * @param podSetUpdates of a {@code Ready}: what is added to the pods when they are let go; null = nothing
 */
public record CheckUpdate(
        @Nullable String state,
        @Nullable String message,
        @Nullable String retryAfter,
        @Nullable List<PodSetUpdateBody> podSetUpdates) {
    private static final int MESSAGE_MAX = 32_768;

    /**
     * The wish of whoever said it.
     *
     * @param check which one it is
     * @throws Rejection naming every mistake
     */
    public static Command.ChangeCheck of(JsonNode tree, Workload workload, String check) {
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
        if (update.podSetUpdates() != null && state != CheckStatus.State.READY) {
            mistakes.add("podSetUpdates", null, "belongs to the state Ready only");
        }
        List<PodSetUpdate> updates =
                PodSetUpdateBody.read("podSetUpdates", update.podSetUpdates(), workload.podSets(), mistakes);
        mistakes.orThrow();
        return new Command.ChangeCheck(workload.id(), check, state, message, retryAfter, updates);
    }
}
