package dev.sluice.scheduling;

import dev.sluice.workload.WorkloadId;

/** Reads the Kubernetes manifest of an object that exists as a submission, under the configuration of this moment. */
public interface ManifestIntake {
    /**
     * @param manifest JSON, with the object's uid
     * @param id that the workload is to have
     * @param caller as whom it is submitted
     * @throws ClusterUnavailable if it cannot be counted yet
     */
    Reading read(String manifest, WorkloadId id, String caller);

    sealed interface Reading {
        record Understood(Submission submission) implements Reading {}

        /** @param reason fit for the object's author to read; it may hold no longer once the configuration changes */
        record Refused(String reason) implements Reading {}
    }
}
