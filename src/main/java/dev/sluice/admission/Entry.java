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
    /** What decides why it does not start: of a scan from the first flavor, if this one began behind it. */
    @Nullable Nomination decisive;
    /** The flavors that this scan did not see would do. */
    boolean passedOver;

    Entry(QueueState queue, TrackedWorkload head, Lane lane, Nominator.Nominated nominated) {
        this.queue = queue;
        this.head = head;
        this.lane = lane;
        nomination = nominated.nomination();
        victims = nominated.victims();
        decisive = nominated.fewest();
    }

    void change(Nominator.Nominated nominated) {
        nomination = nominated.nomination();
        victims = nominated.victims();
        decisive = nominated.fewest();
    }

    Nomination decisive() {
        Nomination seen = decisive;
        return seen == null ? nomination : seen;
    }

    boolean takes(Set<TrackedWorkload> workloads) {
        return victims.stream().anyMatch(victim -> workloads.contains(victim.workload()));
    }
}
