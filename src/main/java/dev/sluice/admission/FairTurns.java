package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A tournament through the cohort tree for every turn (Kueue's fair sharing order). Each queue sends its head, each cohort
 * the best of what its children sent, and the root's winner has the turn. Two contenders of one cohort compare by the
 * children that sent them, each with the contender's request charged: a child that does not borrow any of what its
 * contender asks for comes first, then the lower share, then the order of a queue.
 *
 * <p>A charge at a queue changes shares on the way from there to the root and nowhere else. So the tournament is held once,
 * and after every turn only the matches on the way up from a queue that moved are held again, each against an ordered set:
 * a turn costs the depth of the tree times the logarithm of its width, not a match for every queue.
 */
final class FairTurns implements Turns {
    private final Ledger ledger;
    private final QuotaTree tree;
    private final int root;
    /** By the node of its queue: who has had no turn yet. */
    private final Map<Integer, Entry> entries = new HashMap<>();

    private final Map<Integer, Contender> sent = new HashMap<>();
    /** Per cohort: what its children sent. */
    private final Map<Integer, SortedSet<Contender>> fields = new HashMap<>();

    private @Nullable Entry last;

    /** @param node the child of a cohort that sent it */
    private record Contender(Entry entry, int node, Precedence precedence) {
        static final Comparator<Contender> BEST_FIRST = Comparator.comparing(Contender::precedence);
    }

    FairTurns(List<Entry> all, int root, Ledger ledger) {
        this.ledger = ledger;
        tree = ledger.tree();
        this.root = root;
        all.forEach(entry -> entries.put(entry.queue.node(), entry));
        if (all.size() > 1) {
            all.forEach(entry -> moved(entry.queue.node()));
        }
    }

    @Override
    public @Nullable Entry next() {
        Entry before = last;
        Entry winner = null;
        if (entries.size() == 1) {
            winner = entries.values().iterator().next();
        } else if (!entries.isEmpty()) {
            if (before != null) {
                moved(before.queue.node());
            }
            winner = winner(root);
        }
        last = winner;
        if (winner != null) {
            entries.remove(winner.queue.node());
        }
        return winner;
    }

    private @Nullable Entry winner(int node) {
        if (tree.isQueue(node)) {
            return entries.get(node);
        }
        SortedSet<Contender> field = fields.get(node);
        return field == null || field.isEmpty() ? null : field.first().entry();
    }

    @Override
    public void moved(int queue) {
        for (int node = queue; node != root; node = tree.parent(node)) {
            send(node, winner(node));
        }
    }

    private void send(int node, @Nullable Entry entry) {
        SortedSet<Contender> field =
                fields.computeIfAbsent(tree.parent(node), cohort -> new TreeSet<>(Contender.BEST_FIRST));
        Contender before = sent.remove(node);
        if (before != null) {
            field.remove(before);
        }
        if (entry != null) {
            Contender contender =
                    new Contender(entry, node, Precedence.of(ledger, entry.nomination.charge(), node, entry.head));
            field.add(contender);
            sent.put(node, contender);
        }
    }
}
