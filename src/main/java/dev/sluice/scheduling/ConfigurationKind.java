package dev.sluice.scheduling;

/** Kinds of configuration object; {@code path} is their name in REST and in the store. */
public enum ConfigurationKind {
    COHORT("cohorts"),
    CLUSTER_QUEUE("cluster-queues"),
    LOCAL_QUEUE("local-queues"),
    RESOURCE_FLAVOR("resource-flavors"),
    WORKLOAD_PRIORITY_CLASS("workload-priority-classes"),
    TEAM("teams"),
    DEVICE_CLASS("device-classes"),
    ADMISSION_CHECK("admission-checks");

    private final String path;

    ConfigurationKind(String path) {
        this.path = path;
    }

    public String path() {
        return path;
    }
}
