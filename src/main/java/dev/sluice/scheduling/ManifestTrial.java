package dev.sluice.scheduling;

import java.util.List;
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

    /**
     * The same of each of many, in order. Several are asked about at the same time, but not more than the cluster can bear; what could not
     * be asked about within half a minute counts as taken.
     */
    default List<Optional<String>> refusals(List<Submission> submissions) {
        return submissions.stream().map(this::refusal).toList();
    }
}
