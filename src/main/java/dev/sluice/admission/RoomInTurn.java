package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Of those that would start as things stand, one of each queue at the most: who finds room if they are dealt with in turn. Whoever would
 * lose it to them is left alone.
 *
 * <p>Those that need not borrow come first; only if there are none, the others. Of many that would borrow, who must preempt as well is only
 * chosen if nobody else is: what it would take is found out when its turn comes, and not of all of them.
 */
final class RoomInTurn {
    private final TreeState tree;
    private final Ledger promised;
    private final AdmissionSettings settings;
    private final boolean byShare;
    private final BiFunction<QueueState, Lane, Entry> nominate;

    /**
     * @param byShare whether whose turn it is is told by shares that compare in one place
     * @param nominate how the first of a lane of a queue would start
     */
    RoomInTurn(
            TreeState tree,
            Ledger promised,
            AdmissionSettings settings,
            boolean byShare,
            BiFunction<QueueState, Lane, Entry> nominate) {
        this.tree = tree;
        this.promised = promised;
        this.settings = settings;
        this.byShare = byShare;
        this.nominate = nominate;
    }

    List<Startable> of(List<Startable> firsts) {
        boolean allBorrow = firsts.stream().allMatch(Startable::borrows);
        if (allBorrow && byShare) {
            return byShare(firsts);
        }
        List<Entry> entries = firsts.stream()
                .filter(first -> allBorrow || !first.borrows())
                .map(this::entry)
                .toList();
        List<Startable> chosen = new ArrayList<>();
        Set<TrackedWorkload> going = new HashSet<>();
        try (Ledger.Trial trial = promised.trial()) {
            Turns turns = Turns.of(entries, tree, promised, settings);
            for (Entry entry = turns.next(); entry != null; entry = turns.next()) {
                boolean asked = !allBorrow || chosen.isEmpty() || entry.victims.isEmpty();
                if (asked && !entry.takes(going) && takesRoom(entry)) {
                    chosen.add(Startable.of(entry));
                    for (VictimSearch.Candidate victim : entry.victims) {
                        going.add(victim.workload());
                        turns.moved(victim.queue());
                    }
                }
            }
            trial.rewind();
        }
        return chosen;
    }

    private List<Startable> byShare(List<Startable> firsts) {
        List<Startable> chosen = new ArrayList<>();
        BorrowersInTurn turns = new BorrowersInTurn(firsts, promised);
        try (Ledger.Trial trial = promised.trial()) {
            for (Startable first = turns.next(); first != null; first = turns.next()) {
                Startable started = chosen.isEmpty() && first.preempts() ? overOthers(first, turns) : fitting(first);
                if (started != null) {
                    chosen.add(started);
                }
                if (started == null || chosen.size() == 1) {
                    turns.dropUnless(one -> !one.preempts() && one.charge().fits(promised));
                }
            }
            trial.rewind();
        }
        return chosen;
    }

    /** Null = nobody's going makes room for it. */
    private @Nullable Startable overOthers(Startable first, BorrowersInTurn turns) {
        Entry entry = entry(first);
        if (!takesRoom(entry)) {
            return null;
        }
        entry.victims.forEach(victim -> turns.moved(victim.queue()));
        return Startable.of(entry);
    }

    /** Null = there is no room for it. */
    private @Nullable Startable fitting(Startable first) {
        if (first.preempts() || !first.charge().fits(promised)) {
            return null;
        }
        first.charge().addTo(promised);
        return first;
    }

    private Entry entry(Startable first) {
        Entry known = first.entry();
        return known == null ? nominate.apply(first.queue(), first.lane()) : known;
    }

    private boolean takesRoom(Entry entry) {
        Charge charge = entry.nomination.charge();
        entry.victims.forEach(victim -> victim.workload().chargeOrThrow().removeFrom(promised));
        if (charge.fits(promised)) {
            charge.addTo(promised);
            return true;
        }
        entry.victims.forEach(victim -> victim.workload().chargeOrThrow().addTo(promised));
        return false;
    }
}
