package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
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
    private final BiFunction<QueueState, Lane, Entry> nominate;

    /**
     * @param nominate how the first of a lane of a queue would start
     */
    RoomInTurn(
            TreeState tree, Ledger promised, AdmissionSettings settings, BiFunction<QueueState, Lane, Entry> nominate) {
        this.tree = tree;
        this.promised = promised;
        this.settings = settings;
        this.nominate = nominate;
    }

    List<Startable> of(List<Startable> firsts) {
        boolean allBorrow = firsts.stream().allMatch(Startable::borrows);
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

    /** The same of those that would all borrow, where shares compare in one place. */
    List<Startable> of(BorrowersInTurn turns) {
        List<Startable> chosen = new ArrayList<>();
        Startable first = first(turns);
        if (first == null) {
            return chosen;
        }
        chosen.add(first);
        Set<Integer> moved =
                victims(first).stream().map(VictimSearch.Candidate::queue).collect(Collectors.toSet());
        moved.forEach(turns::lookInto);
        try (Ledger.Trial trial = promised.trial()) {
            take(first);
            moved.forEach(turns::moved);
            turns.dropUnlessFitting();
            Startable next = turns.nextKnown();
            while (next != null || turns.open() != null) {
                if (next == null) {
                    trial.rewind();
                    lookOn(turns, chosen.size());
                    take(first);
                    chosen.stream().skip(1).forEach(one -> one.charge().addTo(promised));
                } else {
                    next.charge().addTo(promised);
                    chosen.add(next);
                }
                next = turns.nextKnown();
            }
            trial.rewind();
        }
        return chosen;
    }

    /** As it would be if nobody had been chosen; into the more the more were, since each of these must be charged again. */
    private static void lookOn(BorrowersInTurn turns, int queues) {
        QueueState open = turns.open();
        for (int looked = 0; open != null && looked < queues; looked++) {
            turns.lookInto(open.node());
            open = turns.open();
        }
    }

    /** Null = there is room for nobody. */
    private @Nullable Startable first(BorrowersInTurn turns) {
        Startable next = turns.next();
        while (next != null) {
            Startable first = next.preempts() ? overOthers(next) : fitting(next);
            turns.dropUnlessFitting();
            if (first != null) {
                return first;
            }
            next = turns.next();
        }
        return null;
    }

    /** Null = nobody's going makes room for it. */
    private @Nullable Startable overOthers(Startable first) {
        Entry entry = entry(first);
        try (Ledger.Trial trial = promised.trial()) {
            boolean takes = takesRoom(entry);
            trial.rewind();
            return takes ? Startable.of(entry) : null;
        }
    }

    private @Nullable Startable fitting(Startable first) {
        return first.charge().fits(promised) ? first : null;
    }

    private void take(Startable first) {
        victims(first).forEach(victim -> victim.workload().chargeOrThrow().removeFrom(promised));
        first.charge().addTo(promised);
    }

    private static List<VictimSearch.Candidate> victims(Startable first) {
        return first.preempts() && first.entry() != null ? first.entry().victims : List.of();
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
