package dev.sluice.quota;

import java.util.List;

/** Who owns ClusterQueues (by {@link ClusterQueue#team}) and namespaces. People see teams, the engine sees queues. */
public record Team(String name, String displayName, List<String> namespaces) {
    public Team {
        namespaces = List.copyOf(namespaces);
    }
}
