package dev.sluice.api;

import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.scheduling.ConfigurationStore.ObjectVersion;
import dev.sluice.scheduling.ConfigurationStore.Stored;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code If-Match} and {@code If-None-Match} (RFC 9110), asked while the configuration is held. */
final class Preconditions {
    private static final String ANY = "*";

    private Preconditions() {}

    /** @throws Rejection if the object is not the one that the client saw */
    static void check(
            Stored stored, ConfigurationKind kind, String key, @Nullable String ifMatch, @Nullable String ifNoneMatch) {
        ObjectVersion version = stored.version(kind, key);
        String tag = version == null ? null : ConfigurationEdits.tag(version);
        if (ifMatch != null && !matches(ifMatch, tag)) {
            throw stale("If-Match", ifMatch, tag);
        }
        if (ifNoneMatch != null && matches(ifNoneMatch, tag)) {
            throw stale("If-None-Match", ifNoneMatch, tag);
        }
    }

    private static boolean matches(String header, @Nullable String tag) {
        if (tag == null) {
            return false;
        }
        return header.strip().equals(ANY)
                || Arrays.stream(header.split(",", -1))
                        .anyMatch(one -> one.strip().equals(tag));
    }

    private static Rejection stale(String header, String value, @Nullable String tag) {
        return new Rejection(
                ProblemKind.STALE,
                tag == null
                        ? "The object does not exist."
                        : "The object is now " + tag + ". Read it again and decide anew.",
                List.of(new FieldViolation(
                        header,
                        value,
                        header.equals("If-Match") ? "must be the object's ETag" : "must not be the object's ETag",
                        tag == null ? List.of() : List.of(tag))));
    }
}
