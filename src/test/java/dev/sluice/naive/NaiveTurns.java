package dev.sluice.naive;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.naive.NaiveCycle.Entry;
import dev.sluice.simulation.PlainUsage;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whose turn it is: by borrowing level, or under fair sharing by a tournament held anew for every turn. */
final class NaiveTurns {
    private static final Comparator<Entry> BY_BORROWING = Comparator.comparingInt(
                    (Entry entry) -> entry.plan.borrowing())
            .thenComparing(entry -> entry.head, NaiveWorkload.IN_QUEUE);

    private NaiveTurns() {}

    private record Contender(Entry entry, boolean borrows, NaiveShare share) {
        static final Comparator<Contender> BEST_FIRST = Comparator.comparing(Contender::borrows)
                .thenComparing(Contender::share)
                .thenComparing(contender -> contender.entry.head, NaiveWorkload.IN_QUEUE);
    }

    /** @param entries those that had no turn yet, at least one */
    static Entry next(AdmissionSettings settings, PlainUsage usage, String root, List<Entry> entries) {
        if (!settings.fairSharing().isOn()) {
            return entries.stream().min(BY_BORROWING).orElseThrow();
        }
        Entry winner = winner(usage, root, entries);
        if (winner == null) {
            throw new IllegalStateException("an entry stands in another tree than " + root);
        }
        return winner;
    }

    private static @Nullable Entry winner(PlainUsage usage, String node, List<Entry> entries) {
        if (usage.tree().isQueue(node)) {
            return entries.stream()
                    .filter(entry -> entry.queue.name().equals(node))
                    .findFirst()
                    .orElse(null);
        }
        Contender best = null;
        for (String child : usage.tree().children(node)) {
            Entry entry = winner(usage, child, entries);
            if (entry != null) {
                Contender contender = contender(usage, child, entry);
                best = best == null || Contender.BEST_FIRST.compare(contender, best) < 0 ? contender : best;
            }
        }
        return best == null ? null : best.entry;
    }

    private static Contender contender(PlainUsage usage, String node, Entry entry) {
        PlainUsage with = usage.plus(entry.queue.name(), entry.plan.charge());
        boolean borrows = entry.plan.charge().entrySet().stream()
                .filter(line -> line.getValue() > 0)
                .map(Map.Entry::getKey)
                .anyMatch(line -> with.borrowsWith(node, line, 0));
        return new Contender(entry, borrows, NaiveShare.of(with, node));
    }
}
