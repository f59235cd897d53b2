package dev.sluice.admission;

import dev.sluice.admission.Nomination.Mode;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.QuotaTree;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One cycle over one tree, as Kueue's scheduler runs it: the head of every queue is nominated against the state at the
 * start, then they are dealt with one after the other, and who got nothing goes back.
 *
 * <p>Taking the best of all waiting workloads over and over would be shorter, but would decide otherwise: a queue gets one
 * turn per cycle, and what a nomination saw is the start of the cycle.
 */
final class Cycle {
    private final Roster roster;
    private final TreeState tree;
    private final DecisionLog log;
    private final Ledger promised;
    private final Set<TrackedWorkload> issued = new LinkedHashSet<>();
    private final Protection protection;
    private final Nominator nominator;
    private final Keepers keepers;
    private final List<Charge> untilEnd = new ArrayList<>();
    private final Outcome outcome = new Outcome();

    Cycle(Roster roster, TreeState tree, DecisionLog log) {
        this.roster = roster;
        this.tree = tree;
        this.log = log;
        promised = roster.promised();
        protection = new Protection(issued::contains, roster.settings.victimChoice(), roster.now());
        VictimSearch victimSearch = VictimSearch.of(promised, roster::queue, roster.settings, protection);
        nominator = new Nominator(promised, victimSearch, roster.settings);
        keepers = new Keepers(roster, tree, this::nominate);
    }

    /** What a cycle changed. */
    static final class Outcome {
        final List<TrackedWorkload> admitted = new ArrayList<>();
        final List<Preemption> preemptions = new ArrayList<>();
        final SortedMap<String, Integer> skippedPreemptions = new TreeMap<>();
        /** Neither started nor parked: somebody took or keeps the room, or there are flavors left to try. */
        final List<Skipped> skipped = new ArrayList<>();

        boolean earmarked;
        boolean parked;
        boolean scanning;
        /** Somebody was found to start on none of its flavors, of whom that was not known. */
        boolean learned;

        boolean decided() {
            return !admitted.isEmpty() || !preemptions.isEmpty() || earmarked;
        }
    }

    /** @param scanning it has flavors left to try, and may keep room meanwhile */
    record Skipped(QueueState queue, Lane lane, boolean scanning) {}

    record Preemption(TrackedWorkload victim, EvictionReason reason, TrackedWorkload preemptor) {}

    Outcome run() {
        tree.cycle++;
        List<Entry> entries = new ArrayList<>();
        for (QueueState queue : tree.competing()) {
            TrackedWorkload head = queue.compiled.mayAdmit() ? queue.head() : null;
            Lane lane = head == null ? null : head.lane;
            if (lane != null && lane.isMisplaced()) {
                queue.parkAlone(lane);
                outcome.parked = true;
            } else if (lane != null) {
                entries.add(keepers.entryOf(queue, lane));
            }
        }
        keepers.passedBy().stream()
                .filter(entry -> entry.nomination.mode() == Mode.PREEMPT)
                .forEach(this::reserve);
        Turns turns = Turns.of(entries, tree, promised, roster.settings);
        for (Entry entry = turns.next(); entry != null; entry = turns.next()) {
            deal(entry);
            entry.victims.forEach(victim -> turns.moved(victim.queue()));
        }
        untilEnd.forEach(charge -> charge.removeFrom(promised));
        tree.lookAgainAt(protection.endsFirst());
        return outcome;
    }

    // Nomination

    private Entry nominate(QueueState queue, Lane lane) {
        TrackedWorkload sticky = queue.sticky;
        TrackedWorkload head = sticky != null && lane.equals(sticky.lane) ? sticky : lane.head();
        ScanMemory memory = usableMemory(queue, head);
        Nominator.Nominated foreseen = lane.takeForeseen(promised.version(), tree.holdersVersion());
        Nominator.Nominated nominated =
                memory == null && foreseen != null ? foreseen : nominated(head, queue, lane, memory);
        Entry entry = new Entry(queue, head, lane, nominated);
        if (memory != null && memory.isUnfinished() && !nominated.starts()) {
            Nominator.Nominated whole = nominated(head, queue, lane, null);
            if (!whole.starts()) {
                entry.decisive = whole.decisive();
            } else if (roster.settings.earmarks()) {
                // A flavor in front has room again, or was lost to somebody who is parked by now.
                entry.change(whole);
            } else {
                entry.passedOver = true;
            }
        }
        remember(entry);
        // Those ahead begin their scans anew in every other cycle: were that not known, those behind many would never
        // have a turn.
        if (roster.settings.earmarks() && !entry.starts() && !hasFlavorsLeft(entry)) {
            outcome.learned |= tree.sawAllFlavors(lane);
        }
        return entry;
    }

    private Nominator.Nominated nominated(
            TrackedWorkload head, QueueState queue, Lane lane, @Nullable ScanMemory memory) {
        roster.looks.nominations++;
        return nominator.nominate(head, requestOf(queue, lane), memory, null);
    }

    private void remember(Entry entry) {
        entry.head.memory = entry.nomination.remember(entry.queue.generation, tree.cycle, roster.instant);
    }

    private PreparedRequest requestOf(QueueState queue, Lane lane) {
        return lane.request(queue.compiled, roster.world().feasibility());
    }

    /** An instant starts every scan anew; Kueue's memory lives until its queue changes. */
    private @Nullable ScanMemory usableMemory(QueueState queue, TrackedWorkload head) {
        ScanMemory memory = head.memory;
        if (memory == null || (roster.settings.earmarks() && memory.instant() != roster.instant)) {
            return null;
        }
        boolean outdated = memory.generation() != queue.generation && tree.cycle - memory.cycle() > 1;
        return outdated ? null : memory;
    }

    // Dealing

    private void deal(Entry entry) {
        if (entry.takes(issued)) {
            nominateWithoutIssued(entry);
        }
        if (entry.nomination.mode() == Mode.NO_FIT) {
            putBack(entry);
        } else if (entry.nomination.mode() == Mode.PREEMPT && entry.victims.isEmpty()) {
            putBack(entry);
            reserve(entry);
        } else if (entry.deferred) {
            holdUntilEnd(entry.nomination.charge());
            waitForVictims(entry, List.of());
        } else if (!fitsNow(entry)) {
            // Somebody earlier in this cycle took the room, or keeps it; it is looked at again in the next one.
            entry.lane.reason = firstMissing(entry.nomination.charge());
            outcome.skipped.add(new Skipped(entry.queue, entry.lane, false));
            // On the flavors behind this one there may be room.
            outcome.scanning |= hasFlavorsLeft(entry);
            if (entry.nomination.mode() == Mode.PREEMPT) {
                outcome.skippedPreemptions.merge(entry.queue.name(), 1, Integer::sum);
            }
        } else if (entry.nomination.mode() == Mode.PREEMPT) {
            preempt(entry);
        } else {
            start(entry);
        }
    }

    /** Victims are shared with an earlier entry: on the same flavors it is asked again what it needs without them. */
    private void nominateWithoutIssued(Entry entry) {
        try (Ledger.Trial trial = promised.trial()) {
            if (!roster.settings.earmarks()) {
                issued.forEach(victim -> victim.chargeOrThrow().removeFrom(promised));
            }
            entry.behind.forEach(claim -> claim.addTo(promised));
            PreparedRequest request = requestOf(entry.queue, entry.lane);
            entry.change(nominator.nominate(entry.head, request, null, entry.nomination.choices()));
            entry.yieldTo(entry.behind);
            entry.deferred = entry.nomination.mode() == Mode.FIT && !roster.settings.earmarks();
            if (!roster.settings.earmarks()) {
                // Kueue remembers the last scan, which saw these flavors only.
                remember(entry);
            }
            trial.rewind();
        }
    }

    private boolean fitsNow(Entry entry) {
        try (Ledger.Trial trial = promised.trial()) {
            if (!roster.settings.earmarks()) {
                issued.forEach(victim -> victim.chargeOrThrow().removeFrom(promised));
            }
            entry.victims.forEach(victim -> victim.workload().chargeOrThrow().removeFrom(promised));
            boolean fits = entry.nomination.charge().fits(promised);
            trial.rewind();
            return fits;
        }
    }

    /** What would be preempted if the policy allowed it is kept from others for this cycle, unless it can always be reclaimed. */
    private void reserve(Entry entry) {
        if (entry.queue.compiled.reclaimsAny()) {
            return;
        }
        Charge wanted = entry.nomination.charge();
        QuotaTree quota = promised.tree();
        long[] amounts = new long[wanted.lines().length];
        for (int index = 0; index < amounts.length; index++) {
            int line = wanted.lines()[index];
            amounts[index] = Reservation.of(
                    wanted.amounts()[index],
                    quota.nominal(entry.queue.node(), line),
                    quota.borrowingLimit(entry.queue.node(), line),
                    promised.used(entry.queue.node(), line),
                    entry.nomination.borrowing() > 0);
        }
        holdUntilEnd(new Charge(wanted.queue(), wanted.lines(), amounts));
    }

    private void holdUntilEnd(Charge charge) {
        charge.addTo(promised);
        untilEnd.add(charge);
    }

    private void putBack(Entry entry) {
        entry.lane.reason = keepers.reason(entry);
        boolean guards = !entry.queue.isStrict() && entry.queue.keeps(entry.lane);
        // One that guards has seen them all.
        if (hasFlavorsLeft(entry) && !guards) {
            outcome.scanning = true;
            outcome.skipped.add(new Skipped(entry.queue, entry.lane, true));
        } else if (!entry.queue.isStrict() && !guards) {
            entry.queue.park(entry.lane);
            outcome.parked = true;
        } else if (keepers.mayRest(entry)) {
            entry.queue.parkAsGuard(entry.lane);
            outcome.parked = true;
        }
    }

    private static boolean hasFlavorsLeft(Entry entry) {
        ScanMemory memory = entry.head.memory;
        return memory != null && memory.isUnfinished();
    }

    private WaitReason firstMissing(Charge charge) {
        for (int index = 0; index < charge.lines().length; index++) {
            long available = promised.availableToQueue(charge.queue(), charge.lines()[index]);
            if (charge.amounts()[index] > available) {
                QuotaLine line = promised.tree().line(charge.lines()[index]);
                return new WaitReason.QuotaExhausted(
                        line.resource(),
                        line.flavor(),
                        charge.amounts()[index],
                        available,
                        charge.amounts()[index] - available);
            }
        }
        return new WaitReason.NotYetConsidered();
    }

    private void start(Entry entry) {
        Charge charge = entry.nomination.charge();
        boolean borrows = charge.wouldBorrow(promised);
        Assignment assignment = entry.nomination.assignment(borrows);
        if (!roster.settings.earmarks() || charge.fits(roster.held())) {
            roster.holdings().admit(entry.head, assignment, charge, log.nextAdmission());
            log.admit(entry.head);
            outcome.admitted.add(entry.head);
        } else {
            earmark(entry, assignment, List.of());
        }
    }

    private void preempt(Entry entry) {
        List<Decision.Victim> evicted = new ArrayList<>();
        for (VictimSearch.Candidate victim : entry.victims) {
            TrackedWorkload workload = victim.workload();
            issued.add(workload);
            roster.notePreemption(workload, entry.head.id());
            if (workload.isEarmarked()) {
                takeOver(workload, entry.head);
            } else if (workload.state == WorkloadState.RESERVED) {
                issued.remove(workload);
                roster.holdings().unreserve(workload, WorkloadState.PENDING);
                log.unreserve(workload, victim.reason());
            } else if (workload.isRunning()) {
                evicted.add(victim.of(entry.queue.node(), promised.tree()));
                outcome.preemptions.add(new Preemption(workload, victim.reason(), entry.head));
                roster.holdings().preempt(workload, entry.queue.name());
            }
        }
        Charge charge = entry.nomination.charge();
        Assignment assignment = entry.nomination.assignment(charge.wouldBorrow(promised));
        if (roster.settings.earmarks()) {
            earmark(entry, assignment, evicted);
        } else {
            holdUntilEnd(charge);
            waitForVictims(entry, evicted);
            if (!evicted.isEmpty()) {
                log.preempt(entry.head, assignment, evicted);
            }
        }
    }

    private void takeOver(TrackedWorkload earlier, TrackedWorkload by) {
        roster.holdings().loseEarmark(earlier);
        log.dropEarmark(earlier, "taken over by " + by.id());
    }

    private void earmark(Entry entry, Assignment assignment, List<Decision.Victim> evicted) {
        Charge charge = entry.nomination.charge();
        List<WorkloadId> own = evicted.stream().map(Decision.Victim::workload).toList();
        roster.holdings().earmark(entry.head, assignment, charge, tree.leaving.awaitedBy(charge, own, roster.held()));
        log.preempt(entry.head, assignment, evicted);
        outcome.earmarked = true;
    }

    /** Parity: the preemptor stays first in its queue and looks again in the next cycle. */
    private void waitForVictims(Entry entry, List<Decision.Victim> evicted) {
        entry.head.memory = null;
        List<WorkloadId> awaited = new ArrayList<>();
        if (evicted.isEmpty() && entry.victims.isEmpty()) {
            issued.forEach(victim -> awaited.add(victim.id()));
        }
        entry.victims.forEach(victim -> awaited.add(victim.workload().id()));
        entry.lane.reason = new WaitReason.AwaitingVictims(awaited);
        if (!entry.queue.isStrict()) {
            entry.queue.sticky = entry.head;
        }
    }
}
