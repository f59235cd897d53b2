package dev.sluice.admission;

import dev.sluice.admission.Nomination.Choice;
import dev.sluice.admission.Nomination.Mode;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Resources;
import dev.sluice.workload.PodSet;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out how a workload could start: with all its pods, and whom that would cost; or else with fewer, if its pod sets
 * say how few are enough (Kueue's partial admission).
 *
 * <p>The number of pods is found by halving, as Kueue does: all pod sets shrink together, each by the same share of what it
 * may go without, so that there is one number to look for. That fewer pods fit whenever more do is taken for granted.
 */
final class Nominator {
    private final FlavorFit flavorFit;
    private final VictimSearch victimSearch;
    private final QuotaTree tree;
    private final boolean roomForPods;

    Nominator(Ledger ledger, VictimSearch victimSearch, AdmissionSettings settings) {
        tree = ledger.tree();
        roomForPods = settings.victimsMakeRoomForPods();
        flavorFit = new FlavorFit(ledger, victimSearch, settings);
        this.victimSearch = victimSearch;
    }

    /**
     * @param nomination with all pods, unless it starts with fewer only
     * @param victims whom it takes to start; empty if it fits, or if there is no way
     * @param fewest what was found for the fewest pods that are enough, if not even those can start; null = it starts, or all
     *     its pods are needed
     */
    record Nominated(
            Nomination nomination,
            List<VictimSearch.Candidate> victims,
            @Nullable Nomination fewest) {
        boolean starts() {
            return nomination.mode() == Mode.FIT || !victims.isEmpty();
        }

        /** What tells why it does not start. */
        Nomination decisive() {
            return fewest == null ? nomination : fewest;
        }
    }

    /**
     * @param memory where an earlier scan stopped; null = from the first flavor
     * @param pinned flavors of an earlier nomination that must be kept; null = free to choose
     */
    Nominated nominate(
            TrackedWorkload workload,
            PreparedRequest request,
            @Nullable ScanMemory memory,
            @Nullable List<Choice> pinned) {
        Nominated all = withThese(workload, request, memory, pinned);
        if (all.starts() || !request.mayShrink()) {
            return all;
        }
        int[] spares = spares(request.podSets);
        int most = Arrays.stream(spares).sum();
        @Nullable Nominated found = null;
        Nominated tried = all;
        int from = 0;
        int to = most + 1;
        while (from < to) {
            int middle = (from + to) >>> 1;
            tried = withThese(workload, request.without(share(spares, middle, most)), memory, pinned);
            if (tried.starts()) {
                found = tried;
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        // The last try before giving up is the one with the fewest pods.
        return found == null ? new Nominated(all.nomination(), List.of(), tried.nomination()) : found;
    }

    /** Per pod set: how many of its pods it may go without. */
    static int[] spares(List<PodSet> podSets) {
        return podSets.stream().mapToInt(Nominator::spare).toArray();
    }

    private static int spare(PodSet podSet) {
        Integer fewest = podSet.minCount();
        return fewest == null ? 0 : Math.max(0, podSet.count() - fewest);
    }

    private static int[] share(int[] spares, int leftOut, int most) {
        return Arrays.stream(spares)
                .map(spare -> (int) ((long) spare * leftOut / most))
                .toArray();
    }

    private Nominated withThese(
            TrackedWorkload workload,
            PreparedRequest request,
            @Nullable ScanMemory memory,
            @Nullable List<Choice> pinned) {
        Nomination nomination = flavorFit.nominate(workload, request, memory, pinned);
        List<VictimSearch.Candidate> known =
                roomForPods && nomination.mode() == Mode.PREEMPT ? flavorFit.victimsOf(nomination) : null;
        return new Nominated(nomination, known == null ? victims(workload, nomination) : known, null);
    }

    /** Whom it would take to start on the flavors of a nomination; nobody unless somebody must go. */
    List<VictimSearch.Candidate> victims(TrackedWorkload workload, Nomination nomination) {
        CompiledQueue queue = nomination.request().queue;
        return nomination.mode() == Mode.PREEMPT && queue.preempts()
                ? victims(workload, queue, nomination.contested(), nomination.charge())
                : List.of();
    }

    List<VictimSearch.Candidate> victims(
            TrackedWorkload workload, CompiledQueue queue, int[] contested, Charge charge) {
        Charge room = roomForPods
                ? charge
                : charge.only(line -> !tree.line(line).resource().equals(Resources.PODS));
        return victimSearch.search(workload, queue, contested, room);
    }
}
