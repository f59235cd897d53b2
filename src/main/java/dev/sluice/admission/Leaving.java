package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Whom an earmark waits for, among all that are on their way out. */
final class Leaving {
    private Leaving() {}

    /**
     * Its own victims, and as many others on their way out as are needed besides: what its victims free beyond its need was
     * left to others, and it may itself be counting on what others' victims free.
     */
    static List<WorkloadId> awaitedBy(Charge charge, List<WorkloadId> own, TreeState tree, Ledger held) {
        List<TrackedWorkload> others = new ArrayList<>();
        List<WorkloadId> awaited = new ArrayList<>(own);
        Set<WorkloadId> victims = new HashSet<>(own);
        try (Ledger.Trial trial = held.trial()) {
            for (TrackedWorkload leaving : tree.leaving) {
                if (victims.contains(leaving.id())) {
                    leaving.chargeOrThrow().removeFrom(held);
                }
            }
            for (TrackedWorkload leaving : tree.leaving) {
                if (charge.fits(held)) {
                    break;
                }
                if (!victims.contains(leaving.id()) && leaving.chargeOrThrow().uses(charge.lines())) {
                    leaving.chargeOrThrow().removeFrom(held);
                    others.add(leaving);
                }
            }
            for (int index = others.size() - 2; index >= 0; index--) {
                Charge spared = others.get(index).chargeOrThrow();
                spared.addTo(held);
                if (charge.fits(held)) {
                    others.remove(index);
                } else {
                    spared.removeFrom(held);
                }
            }
            trial.rewind();
        }
        others.forEach(other -> awaited.add(other.id()));
        return awaited;
    }
}
