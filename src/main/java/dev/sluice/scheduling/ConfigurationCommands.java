package dev.sluice.scheduling;

import dev.sluice.scheduling.ConfigurationStore.Stored;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Edits of the configuration. Each is validated and written while the configuration row is held. */
public final class ConfigurationCommands {
    private final ConfigurationStore store;
    private final EditGate gate;

    public ConfigurationCommands(ConfigurationStore store, EditGate gate) {
        this.store = store;
        this.gate = gate;
    }

    public Stored read() {
        return store.read();
    }

    /**
     * Writes what {@code edit} returns and gives back the configuration after it. {@code edit} sees the configuration as it is
     * under the lock; what it throws is thrown here, and nothing is written.
     */
    public Stored edit(String author, Function<Stored, List<ConfigurationChange>> edit) {
        return gate.between(() -> store.edit(author, edit));
    }

    /**
     * Runs an edit between two batches of a leader in this process, so that no batch in flight is computed on the version before. On
     * other replicas it runs at once; the leader's fenced commit notices.
     */
    public interface EditGate {
        Stored between(Supplier<Stored> edit);
    }
}
