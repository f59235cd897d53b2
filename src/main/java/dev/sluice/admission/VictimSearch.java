package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import java.util.List;
import java.util.function.IntFunction;

/** Whom a workload must preempt to fit. */
sealed interface VictimSearch permits ClassicVictimSearch, FairVictimSearch {
    /** @param protection of whom is never taken */
    static VictimSearch of(
            Ledger ledger, IntFunction<QueueState> queues, AdmissionSettings settings, Protection protection) {
        return settings.fairSharing().isOn()
                ? new FairVictimSearch(ledger, queues, settings, protection)
                : new ClassicVictimSearch(ledger, queues, settings, protection);
    }

    /** @param queue to which it is charged while it is a candidate */
    record Candidate(TrackedWorkload workload, int queue, EvictionReason reason) {
        static Candidate of(TrackedWorkload workload, EvictionReason reason) {
            return new Candidate(workload, workload.chargeOrThrow().queue(), reason);
        }

        Decision.Victim of(int preemptorQueue, QuotaTree tree) {
            int level = tree.lowestCommon(preemptorQueue, queue);
            return new Decision.Victim(
                    workload.id(), reason, level == QuotaTree.NONE || tree.isQueue(level) ? null : tree.name(level));
        }
    }

    /**
     * @param contested lines on which quota is missing; only work that uses one of them is taken
     * @param charge what the preemptor needs in all
     * @return the victims, empty = there is no way
     */
    List<Candidate> search(TrackedWorkload preemptor, CompiledQueue queue, int[] contested, Charge charge);
}
