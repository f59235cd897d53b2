package dev.sluice.admission;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A queue's head in one cycle, with what its nomination came to. */
final class Entry {
    /** The version of no ledger. */
    private static final long NEVER = -1;

    final QueueState queue;
    final TrackedWorkload head;
    final Lane lane;
    Nomination nomination;
    List<VictimSearch.Candidate> victims;
    /** {@link dev.sluice.quota.Ledger#version} of what was promised when it was nominated, if it is to be remembered. */
    long usage = NEVER;
    /** It fits once the victims of earlier entries have left. */
    boolean deferred;
    /** What decides why it does not start: of a scan from the first flavor, if this one began behind it. */
    @Nullable Nomination decisive;
    /** What those ahead of it in its queue keep for themselves; nothing, unless one that waits was passed. */
    List<Charge> behind = List.of();
    /** Who is at the front of its queue, if that is not it. */
    @Nullable Entry ahead;
    /** The flavors that this scan did not see would do; with earmarks it is nominated on them instead. */
    boolean passedOver;

    Entry(QueueState queue, TrackedWorkload head, Lane lane, Nominator.Nominated nominated) {
        this.queue = queue;
        this.head = head;
        this.lane = lane;
        nomination = nominated.nomination();
        victims = nominated.victims();
        decisive = nominated.fewest();
    }

    /** Nobody is preempted for it on a line of which those ahead of it, which cannot preempt, have too little. */
    void yieldTo(List<Charge> claims) {
        behind = List.copyOf(claims);
        boolean competes = claims.stream()
                .anyMatch(claim -> Arrays.stream(nomination.contested()).anyMatch(line -> claim.amount(line) > 0));
        if (competes) {
            victims = List.of();
        }
    }

    Nominator.Nominated nominated() {
        return new Nominator.Nominated(nomination, victims, decisive);
    }

    boolean starts() {
        return nomination.mode() == Nomination.Mode.FIT || !victims.isEmpty();
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
        for (VictimSearch.Candidate victim : victims) {
            if (workloads.contains(victim.workload())) {
                return true;
            }
        }
        return false;
    }
}
