package dev.sluice.scheduling;

import java.util.Optional;

/** Asks the cluster whether it would take a manifest, without anything coming of it. */
public interface ManifestTrial {
    /** Of a cluster that takes whatever it is given. */
    ManifestTrial NONE = submission -> Optional.empty();

    /**
     * Why the cluster would not create the Job of a manifest, in its own words; empty = it would, or it cannot be asked just now, or
     * there is no manifest. Returns within two seconds.
     */
    Optional<String> refusal(Submission submission);
}
