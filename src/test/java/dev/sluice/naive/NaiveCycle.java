package dev.sluice.naive;

import dev.sluice.admission.Decision;
import dev.sluice.naive.NaivePlan.Mode;
import dev.sluice.naive.NaiveWorkload.Memory;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.QuotaLine;
import dev.sluice.simulation.PlainUsage;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One cycle over one tree: a head per queue, all nominated on what is charged at the start, then dealt with in turn. */
final class NaiveCycle {
    private final NaiveState state;
    private final String root;
    private final Set<WorkloadId> issued = new HashSet<>();
    /** Kept from others until the cycle ends. */
    private final List<Kept> kept = new ArrayList<>();

    boolean decided;
    boolean parked;
    boolean scanning;
    /** Somebody was found to start on none of its flavors, of whom that was not known since anything was decided. */
    boolean learned;

    final List<Skipped> skipped = new ArrayList<>();

    private record Kept(String queue, SortedMap<QuotaLine, Long> amounts) {}

    record Skipped(String queue, NaiveWorkload head, boolean scanning) {}

    static final class Entry {
        final ClusterQueue queue;
        final NaiveWorkload head;
        NaivePlan plan;
        boolean deferred;

        Entry(ClusterQueue queue, NaiveWorkload head, NaivePlan plan) {
            this.queue = queue;
            this.head = head;
            this.plan = plan;
        }
    }

    NaiveCycle(NaiveState state, String root) {
        this.state = state;
        this.root = root;
    }

    void run() {
        state.cycles.merge(root, 1L, Long::sum);
        List<Entry> entries = new ArrayList<>();
        for (String name : state.tree.queuesBelow(root)) {
            ClusterQueue queue = state.config(name);
            NaiveWorkload head = state.head(name);
            if (queue != null && head != null && state.mayAdmit(name)) {
                entries.add(nominate(queue, head));
            }
        }
        while (!entries.isEmpty()) {
            Entry entry = NaiveTurns.next(state.settings, promised(), root, entries);
            entries.remove(entry);
            deal(entry);
        }
    }

    private PlainUsage promised() {
        PlainUsage usage = state.promised();
        for (Kept one : kept) {
            usage = usage.plus(one.queue, one.amounts);
        }
        return usage;
    }

    private void keep(Entry entry, SortedMap<QuotaLine, Long> amounts) {
        kept.add(new Kept(entry.queue.name(), amounts));
    }

    // Nomination

    /** What one would get that is looked at alone, from its first flavor on and in as many cycles as a scan may take. */
    NaivePlan planNow(ClusterQueue queue, NaiveWorkload one) {
        NaivePlan first = plan(queue, one, promised(), null, null);
        NaivePlan last = first;
        int most = queue.resourceGroups().stream()
                .mapToInt(group -> group.flavors().size())
                .max()
                .orElse(0);
        for (int flavor = 1; flavor < most && !last.starts(); flavor++) {
            Memory memory = memoryOf(new Entry(queue, one, last));
            if (!memory.isUnfinished()) {
                break;
            }
            last = plan(queue, one, promised(), memory, null);
        }
        return last.starts() ? last : first;
    }

    private Entry nominate(ClusterQueue queue, NaiveWorkload head) {
        Memory memory = usable(head.memory, queue.name());
        Entry entry = new Entry(queue, head, plan(queue, head, promised(), memory, null));
        if (memory != null && memory.isUnfinished() && !entry.plan.starts() && state.settings.earmarks()) {
            NaivePlan fromTheFirst = plan(queue, head, promised(), null, null);
            entry.plan = fromTheFirst.starts() ? fromTheFirst : entry.plan;
        }
        head.memory = memoryOf(entry);
        if (state.settings.earmarks() && !entry.plan.starts() && !head.memory.isUnfinished()) {
            learned |= state.sawAllFlavors(queue.name(), head);
        }
        return entry;
    }

    private Memory memoryOf(Entry entry) {
        return new Memory(
                entry.plan.stopped(),
                state.generations.getOrDefault(entry.queue.name(), 0L),
                state.cycles.getOrDefault(root, 0L),
                state.instant);
    }

    /** With earmarks a scan is remembered for the instant only. */
    private @Nullable Memory usable(@Nullable Memory memory, String queue) {
        if (memory == null || (state.settings.earmarks() && memory.instant() != state.instant)) {
            return null;
        }
        boolean fresh = memory.generation() == state.generations.getOrDefault(queue, 0L)
                || state.cycles.getOrDefault(root, 0L) - memory.cycle() <= 1;
        return fresh ? memory : null;
    }

    /** With all pods, or else with the most that start: all pod sets shrink together, by halving. */
    private NaivePlan plan(
            ClusterQueue queue,
            NaiveWorkload head,
            PlainUsage usage,
            @Nullable Memory memory,
            @Nullable List<SortedMap<String, Integer>> pinned) {
        List<PodSet> podSets = head.podSets();
        List<Integer> all = podSets.stream().map(PodSet::count).toList();
        int[] spare = podSets.stream().mapToInt(NaiveCycle::spare).toArray();
        int most = Arrays.stream(spare).sum();
        NaivePlan whole = plan(queue, head, usage, memory, pinned, all);
        NaivePlan found = whole;
        int from = 0;
        int to = whole.starts() || most == 0 ? 0 : most + 1;
        while (from < to) {
            int middle = (from + to) / 2;
            List<Integer> counts = new ArrayList<>();
            for (int index = 0; index < spare.length; index++) {
                counts.add(all.get(index) - spare[index] * middle / most);
            }
            NaivePlan fewer = plan(queue, head, usage, memory, pinned, counts);
            if (fewer.starts()) {
                found = fewer;
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        return found;
    }

    private static int spare(PodSet podSet) {
        Integer fewest = podSet.minCount();
        return fewest == null ? 0 : Math.max(0, podSet.count() - fewest);
    }

    private NaivePlan plan(
            ClusterQueue queue,
            NaiveWorkload head,
            PlainUsage usage,
            @Nullable Memory memory,
            @Nullable List<SortedMap<String, Integer>> pinned,
            List<Integer> counts) {
        List<NaiveWorkload> holders = state.holders().stream()
                .filter(one -> !issued.contains(one.id()) && !one.givenUp)
                .filter(one -> state.settings.earmarks() || state.mayAdmit(one.chargedTo()))
                .toList();
        boolean fair = state.settings.fairSharing().isOn();
        NaiveFit.Victims victims = (contested, charge) -> fair
                ? new NaiveFairVictims(state.settings, usage, head, queue, contested, charge, holders).find()
                : new NaiveClassicVictims(state.settings, usage, head, queue, contested, charge, holders).find();
        boolean earmarks = state.settings.earmarks();
        return new NaiveFit(usage, queue, victims, fair, earmarks, head.podSets(), counts, memory, pinned).plan();
    }

    // Dealing

    private void deal(Entry entry) {
        if (entry.plan.takesAny(issued)) {
            entry.plan = plan(entry.queue, entry.head, withoutIssued(promised()), null, entry.plan.flavors());
            entry.deferred = entry.plan.mode() == Mode.FIT && !state.settings.earmarks();
            entry.head.memory = state.settings.earmarks() ? entry.head.memory : memoryOf(entry);
        }
        NaivePlan plan = entry.plan;
        if (plan.mode() == Mode.NO_FIT) {
            putBack(entry);
        } else if (plan.mode() == Mode.PREEMPT && plan.victims().isEmpty()) {
            putBack(entry);
            reserve(entry);
        } else if (entry.deferred) {
            keep(entry, plan.charge());
            staysFirst(entry);
        } else if (!fitsNow(entry)) {
            skipped.add(new Skipped(entry.queue.name(), entry.head, false));
            Memory memory = entry.head.memory;
            scanning |= memory != null && memory.isUnfinished();
        } else if (plan.mode() == Mode.PREEMPT) {
            preempt(entry);
        } else {
            start(entry);
        }
    }

    /** Without earmarks, those that were told to leave in this cycle are still charged. */
    private PlainUsage withoutIssued(PlainUsage usage) {
        PlainUsage rest = usage;
        for (NaiveWorkload one : state.holders()) {
            if (issued.contains(one.id())) {
                rest = one.leave(rest);
            }
        }
        return rest;
    }

    private boolean fitsNow(Entry entry) {
        PlainUsage usage = state.settings.earmarks() ? promised() : withoutIssued(promised());
        for (NaiveVictim victim : entry.plan.victims()) {
            usage = victim.workload().leave(usage);
        }
        return usage.fits(entry.queue.name(), entry.plan.charge());
    }

    private void putBack(Entry entry) {
        String queue = entry.queue.name();
        Memory memory = entry.head.memory;
        if (memory != null && memory.isUnfinished()) {
            scanning = true;
            skipped.add(new Skipped(queue, entry.head, true));
        } else if (!state.isStrict(queue)) {
            state.park(queue, entry.head);
            parked = true;
        }
    }

    /** What it would preempt for if it could is kept for it, unless it can always be reclaimed. */
    private void reserve(Entry entry) {
        if (entry.queue.preemption().reclaimWithinCohort() == ReclaimWithinCohort.ANY) {
            return;
        }
        PlainUsage usage = promised();
        String queue = entry.queue.name();
        SortedMap<QuotaLine, Long> amounts = new TreeMap<>();
        entry.plan.charge().forEach((line, wanted) -> {
            long left = state.tree.nominal(queue, line) - usage.used(queue, line);
            if (entry.plan.borrowing() > 0) {
                left += state.tree.mayBorrow(queue, line);
            }
            amounts.put(line, Math.max(0, Math.min(wanted, left)));
        });
        keep(entry, amounts);
    }

    private void preempt(Entry entry) {
        List<Decision.Victim> evicted = new ArrayList<>();
        for (NaiveVictim victim : entry.plan.victims()) {
            NaiveWorkload one = victim.workload();
            issued.add(one.id());
            if (one.isEarmarked()) {
                state.dropEarmark(one);
                state.enqueue(one);
                state.decisions.add(new Decision.DropEarmark(one.id(), ""));
            } else if (one.runs()) {
                evicted.add(new Decision.Victim(one.id(), victim.reason(), null));
                state.startEviction(one, WorkloadState.PENDING);
            }
        }
        Assignment assignment = assignment(entry, promised());
        if (state.settings.earmarks()) {
            earmark(entry, assignment, evicted);
            return;
        }
        keep(entry, entry.plan.charge());
        staysFirst(entry);
        if (!evicted.isEmpty()) {
            decided = true;
            state.decisions.add(new Decision.Preempt(entry.head.id(), assignment, evicted));
        }
    }

    private void staysFirst(Entry entry) {
        entry.head.memory = null;
        if (!state.isStrict(entry.queue.name())) {
            state.sticky.put(entry.queue.name(), entry.head);
        }
    }

    private void start(Entry entry) {
        Assignment assignment = assignment(entry, promised());
        if (state.settings.earmarks() && !state.held().fits(entry.queue.name(), entry.plan.charge())) {
            earmark(entry, assignment, List.of());
            return;
        }
        state.dequeue(entry.head);
        entry.head.assign(assignment, state.moment());
        state.admit(entry.head);
        decided = true;
    }

    private void earmark(Entry entry, Assignment assignment, List<Decision.Victim> evicted) {
        state.dequeue(entry.head);
        entry.head.assign(assignment, state.moment());
        state.decisions.add(new Decision.Preempt(entry.head.id(), assignment, evicted));
        decided = true;
    }

    private static Assignment assignment(Entry entry, PlainUsage usage) {
        NaivePlan plan = entry.plan;
        List<PodSet> podSets = entry.head.podSets();
        SortedMap<Integer, PodSetAssignment> byNumber = new TreeMap<>();
        List<List<Integer>> parts = NaiveFit.parts(podSets);
        for (int part = 0; part < parts.size(); part++) {
            SortedMap<String, Integer> chosen = plan.flavors().get(part);
            for (int number : parts.get(part)) {
                SortedMap<String, Long> request = NaiveFit.request(
                        entry.queue, podSets.get(number), plan.counts().get(number));
                request.keySet().retainAll(chosen.keySet());
                SortedMap<String, String> flavors = new TreeMap<>();
                request.keySet().forEach(resource -> flavors.put(resource, flavor(entry.queue, resource, chosen)));
                byNumber.put(
                        number,
                        new PodSetAssignment(
                                podSets.get(number).name(), plan.counts().get(number), flavors, request));
            }
        }
        return new Assignment(
                entry.queue.name(), List.copyOf(byNumber.values()), usage.borrows(entry.queue.name(), plan.charge()));
    }

    private static String flavor(ClusterQueue queue, String resource, SortedMap<String, Integer> chosen) {
        var group = NaiveFit.groupOf(queue, resource);
        if (group == null) {
            throw new IllegalStateException(resource + " is in no group");
        }
        return group.flavors().get(chosen.getOrDefault(resource, 0)).flavor();
    }
}
