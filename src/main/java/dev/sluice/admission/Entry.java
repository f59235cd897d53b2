package dev.sluice.admission;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A queue's head in one cycle, with what its nomination came to. */
final class Entry {
    final QueueState queue;
    final TrackedWorkload head;
    final Lane lane;
    Nomination nomination;
    List<VictimSearch.Candidate> victims;
    /** It fits once the victims of earlier entries have left. */
    boolean deferred;
    /** What a scan from the first flavor finds, if this one began behind it: only that can tell what is impossible. */
    @Nullable Nomination whole;
    /** The flavors that this scan did not see would do. */
    boolean passedOver;

    Entry(QueueState queue, TrackedWorkload head, Lane lane, Nomination nomination) {
        this.queue = queue;
        this.head = head;
        this.lane = lane;
        this.nomination = nomination;
        victims = List.of();
    }

    Nomination whole() {
        Nomination seen = whole;
        return seen == null ? nomination : seen;
    }

    boolean takes(Set<TrackedWorkload> workloads) {
        return victims.stream().anyMatch(victim -> workloads.contains(victim.workload()));
    }
}
