package dev.sluice.scheduling;

import dev.sluice.quota.Configuration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Configuration objects as stored, with their versions. */
public interface ConfigurationStore {
    Stored read();

    /**
     * Runs {@code edit} while holding the configuration row, so that two edits, each valid alone, cannot make an invalid whole.
     * The changes that it returns are written in the same transaction; those that change nothing are dropped, and if none is left
     * no version is taken. Whatever {@code edit} throws rolls back.
     */
    Stored edit(String author, Function<Stored, List<ConfigurationChange>> edit);

    /** @param versions by {@code kind/key}; absent = not there */
    record Stored(Configuration configuration, java.util.Map<String, ObjectVersion> versions) {
        public @Nullable ObjectVersion version(ConfigurationKind kind, String key) {
            return versions.get(kind.path() + "/" + key);
        }
    }

    /**
     * @param generation version of the configuration that changed the specification last: grows with every change of it, also
     *     when it is deleted and made again, and with nothing else; the ETag
     */
    record ObjectVersion(long generation, Instant createdAt, Instant changedAt) {}
}
