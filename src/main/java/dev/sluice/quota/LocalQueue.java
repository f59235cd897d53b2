package dev.sluice.quota;

/** A namespace's door to a ClusterQueue. Its ClusterQueue does not change after creation. */
public record LocalQueue(String namespace, String name, String clusterQueue, StopPolicy stopPolicy, Quantity weight) {
    /** {@code namespace/name}, the key under which the configuration holds it. */
    public String key() {
        return key(namespace, name);
    }

    public static String key(String namespace, String name) {
        return namespace + "/" + name;
    }
}
