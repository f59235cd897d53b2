package dev.sluice.quota;

/** What decides between the LocalQueues of one ClusterQueue (Kueue's {@code admissionScope.admissionMode}). */
public enum AdmissionMode {
    /** Nothing: workloads of all LocalQueues stand in one line. */
    NONE,
    /** Whoever used less of late comes first, whatever the priority. */
    USAGE_BASED
}
