package dev.sluice.overview;

import dev.sluice.admission.Engine;
import java.time.Instant;
import java.util.function.BiFunction;

/**
 * Asks the engine something on the thread that owns it. The question must be quick, change nothing, and keep no reference to the
 * engine; for a what-if it forks. On a replica that does not lead, the engine is one restored from the store.
 */
public interface EngineReader {
    /** @param question gets the engine and the engine time of now */
    <T> T ask(BiFunction<Engine, Instant, T> question);
}
