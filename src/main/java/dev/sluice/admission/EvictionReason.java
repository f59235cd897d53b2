package dev.sluice.admission;

import java.util.Arrays;

/** Why a workload loses its place. The first four are preemptions and have a preemptor. */
public enum EvictionReason {
    IN_CLUSTER_QUEUE("InClusterQueue"),
    IN_COHORT_RECLAMATION("InCohortReclamation"),
    IN_COHORT_RECLAIM_WHILE_BORROWING("InCohortReclaimWhileBorrowing"),
    IN_COHORT_FAIR_SHARING("InCohortFairSharing"),
    CANCELLED("Cancelled"),
    DEACTIVATED("Deactivated"),
    CLUSTER_QUEUE_STOPPED("ClusterQueueStopped"),
    LOCAL_QUEUE_STOPPED("LocalQueueStopped"),
    PODS_READY_TIMEOUT("PodsReadyTimeout"),
    MAXIMUM_EXECUTION_TIME_EXCEEDED("MaximumExecutionTimeExceeded"),
    NODE_FAILURE("NodeFailures"),
    START_REJECTED("StartRejected"),
    OVERCOMMITMENT("Overcommitment"),
    ADMISSION_CHECK("AdmissionCheck"),
    REQUEST_CHANGED("RequestChanged");

    private final String code;

    EvictionReason(String code) {
        this.code = code;
    }

    /** @throws IllegalArgumentException if no reason has this code */
    public static EvictionReason of(String code) {
        return Arrays.stream(values())
                .filter(reason -> reason.code.equals(code))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no eviction has the reason " + code));
    }

    /** Kueue's word for it, as REST and events carry it. */
    public String code() {
        return code;
    }

    public boolean isPreemption() {
        return compareTo(IN_COHORT_FAIR_SHARING) <= 0;
    }
}
