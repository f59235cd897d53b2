package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import dev.sluice.quota.ShareRanking;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * From which queue the next victim of a fair preemption is taken: down from the root to the child with the highest share, a
 * cohort before a queue where both have the same, until a queue is reached. Shares are those of the moment, so the way may
 * lead elsewhere after every victim.
 *
 * <p>Left aside for good is whoever does not borrow or has no candidates. The preemptor's own queue, and the cohorts above
 * it, stay as long as they have candidates: its own victims are a matter of priority, not of shares. Between equal shares
 * the better candidate decides ({@link CandidateOrder}), so that every run chooses the same; Kueue draws lots between equal
 * cohorts.
 *
 * <p>A share is worked out once and again only after a victim was taken below it: thousands of victims then cost as many
 * walks to the root, not as many looks at every queue's quota; and the queues of a cohort are kept in a heap, so that the next is
 * found without asking all. Of the other queues the candidates are looked for when it comes to them, in the order in which they
 * stand in the ranking of shares: of thousands of queues most searches need the first few.
 */
final class FairTargets {
    private static final int PIECE = 64;
    private static final Candidates NOBODY = Candidates.of(List.of());

    private final Ledger ledger;
    private final QuotaTree tree;
    private final int preemptorQueue;
    private final Comparator<TrackedWorkload> order;
    private final Comparator<Ranked> highestFirst;
    private final @Nullable Others others;
    /** By node, in pieces: of thousands of nodes most searches come to a few. */
    private final Standing[] @Nullable [] standings;
    /** Whose candidates were not asked for since it would be in vain. */
    private final BitSet passedOver = new BitSet();

    private static final class Standing {
        /** Of a queue. */
        Candidates candidates = NOBODY;

        @Nullable Share share;
        /** Of a cohort: its queues as they stood when they were last compared, which is no worse than they stand now; null = none. */
        @Nullable PriorityQueue<Ranked> queues;
        /** Of a cohort: the last of its queues whose candidates were looked for; null = none yet. */
        ShareRanking.@Nullable Ranked lookedFor;

        boolean aside;
        boolean known;
    }

    private record Ranked(int queue, Share share, TrackedWorkload first) {}

    /**
     * What may be taken besides.
     *
     * @param candidates of a queue; asked once, and only if it borrows
     * @param order of all that may be taken
     * @param mayGive whether anything might be taken from one who has that share; if not, then neither with a lower one
     */
    record Others(IntFunction<Candidates> candidates, CandidateOrder order, Refusal refusal, Predicate<Share> mayGive) {
        /** Only those of them whose candidates an earlier search did not ask for, though their turn came. */
        Others passedOverBy(FairTargets earlier) {
            return new Others(candidates, order, (queue, preemptor) -> !earlier.passedOver.get(queue), mayGive);
        }
    }

    /** Tells of whom it would be in vain to ask for candidates. */
    interface Refusal {
        /** @param preemptor the share of the preemptor's queue when it comes to the other; null = not known, for it may have fallen by then */
        boolean refuses(int queue, @Nullable Share preemptor);
    }

    /**
     * @param candidates those of each queue in the order in which they go
     * @param others null = nothing else may be taken
     */
    FairTargets(
            Ledger ledger,
            int preemptorQueue,
            List<TrackedWorkload> candidates,
            @Nullable Others others,
            Comparator<TrackedWorkload> order) {
        this.ledger = ledger;
        tree = ledger.tree();
        this.preemptorQueue = preemptorQueue;
        this.order = order;
        this.others = others;
        highestFirst = Comparator.comparing(Ranked::share).reversed().thenComparing(Ranked::first, order);
        standings = new Standing[tree.nodeCount() / PIECE + 1][];
        at(preemptorQueue).known = true;
        SortedMap<Integer, List<TrackedWorkload>> byQueue = new TreeMap<>();
        for (TrackedWorkload candidate : candidates) {
            byQueue.computeIfAbsent(candidate.chargeOrThrow().queue(), queue -> new ArrayList<>())
                    .add(candidate);
        }
        byQueue.forEach((queue, ofQueue) -> {
            at(queue).candidates = Candidates.of(ofQueue);
            at(queue).known = true;
            if (tree.hasParent(queue)) {
                rank(queue);
            }
        });
    }

    private void rank(int queue) {
        queues(tree.parent(queue))
                .add(new Ranked(queue, share(queue), at(queue).candidates.first()));
    }

    private PriorityQueue<Ranked> queues(int cohort) {
        Standing standing = at(cohort);
        PriorityQueue<Ranked> queues = standing.queues;
        if (queues == null) {
            queues = new PriorityQueue<>(highestFirst);
            standing.queues = queues;
        }
        return queues;
    }

    private Standing at(int node) {
        Standing[] piece = standings[node / PIECE];
        if (piece == null) {
            piece = new Standing[PIECE];
            standings[node / PIECE] = piece;
        }
        Standing standing = piece[node % PIECE];
        if (standing == null) {
            standing = new Standing();
            piece[node % PIECE] = standing;
        }
        return standing;
    }

    /** The queue to take from; {@link QuotaTree#NONE} = none is left. Its next candidate must be taken, or the queue dropped. */
    int next() {
        int root = tree.root(preemptorQueue);
        if (root == preemptorQueue) {
            return !at(root).aside && has(root) ? root : QuotaTree.NONE;
        }
        while (!at(root).aside) {
            int queue = descend(root);
            if (queue != QuotaTree.NONE) {
                return queue;
            }
        }
        return QuotaTree.NONE;
    }

    boolean has(int queue) {
        return !at(queue).candidates.isEmpty();
    }

    TrackedWorkload pop(int queue) {
        return at(queue).candidates.removeFirst();
    }

    void drop(int queue) {
        at(queue).aside = true;
    }

    /** A workload of this queue was taken away in the ledger. */
    void moved(int queue) {
        for (int node = queue; node != QuotaTree.NONE; node = tree.parent(node)) {
            at(node).share = null;
        }
    }

    Share share(int node) {
        Standing standing = at(node);
        Share share = standing.share;
        if (share == null) {
            share = Share.of(ledger, node);
            standing.share = share;
        }
        return share;
    }

    /** {@link QuotaTree#NONE} = only left something aside; to be asked again. */
    private int descend(int cohort) {
        int queue = highestQueue(cohort);
        int child = highestCohort(cohort);
        if (queue == QuotaTree.NONE && child == QuotaTree.NONE) {
            drop(cohort);
            return QuotaTree.NONE;
        }
        boolean toCohort = queue == QuotaTree.NONE
                || (child != QuotaTree.NONE && share(child).compareTo(share(queue)) >= 0);
        return toCohort ? descend(child) : queue;
    }

    /** What is taken away and what is tried makes a queue stand worse and never better, so only the first must be ranked anew. */
    private int highestQueue(int cohort) {
        PriorityQueue<Ranked> queues = queues(cohort);
        lookForOthers(cohort);
        for (Ranked first = queues.peek(); first != null; first = queues.peek()) {
            int queue = first.queue();
            if (at(queue).aside
                    || !has(queue)
                    || (queue != preemptorQueue && !share(queue).isBorrowing())) {
                drop(queue);
                queues.remove();
            } else if (!first.share().equals(share(queue))
                    || !first.first().equals(at(queue).candidates.first())) {
                queues.remove();
                rank(queue);
            } else {
                return queue;
            }
            lookForOthers(cohort);
        }
        return QuotaTree.NONE;
    }

    /** Of all queues that might come before the first, as far as they may give anything. */
    private void lookForOthers(int cohort) {
        Others asked = others;
        if (asked == null) {
            return;
        }
        Standing standing = at(cohort);
        PriorityQueue<Ranked> queues = queues(cohort);
        Iterator<ShareRanking.Ranked> ranked = ledger.shareRanking().after(cohort, standing.lookedFor);
        while (ranked.hasNext()) {
            ShareRanking.Ranked next = ranked.next();
            if (!mayComeFirst(next, queues.peek(), asked.order())
                    || !asked.mayGive().test(next.share())) {
                return;
            }
            standing.lookedFor = next;
            Standing queue = at(next.queue());
            if (!queue.known
                    && asked.refusal().refuses(next.queue(), comesBeforeOwn(next) ? share(preemptorQueue) : null)) {
                passedOver.set(next.queue());
            } else if (!queue.known) {
                queue.known = true;
                queue.share = next.share();
                queue.candidates = asked.candidates().apply(next.queue());
                if (!queue.candidates.isEmpty()) {
                    rank(next.queue());
                }
            }
        }
    }

    /** Of those with the same share whoever is taken first stands in front: behind it, none comes before a better one. */
    private boolean mayComeFirst(ShareRanking.Ranked next, @Nullable Ranked first, CandidateOrder candidates) {
        if (first == null) {
            return true;
        }
        int byShare = next.share().compareTo(first.share());
        ShareRanking.Tie tie = next.tie();
        return byShare > 0
                || (byShare == 0
                        && (tie == null
                                || first.queue() == preemptorQueue
                                || tie.compareTo(candidates.placeOf(first.first())) < 0));
    }

    /** Whether it comes to that one before anybody else of the preemptor's own queue goes. */
    private boolean comesBeforeOwn(ShareRanking.Ranked next) {
        Candidates own = at(preemptorQueue).candidates;
        int byShare = next.share().compareTo(share(preemptorQueue));
        return own.isEmpty() || byShare > 0 || (byShare == 0 && !own.first().isEvicting());
    }

    private int highestCohort(int cohort) {
        int highest = QuotaTree.NONE;
        for (int child : tree.childCohorts(cohort)) {
            if (at(child).aside) {
                continue;
            }
            if (!share(child).isBorrowing() && !isAbovePreemptor(child)) {
                drop(child);
            } else if (highest == QuotaTree.NONE || beats(child, highest)) {
                highest = child;
            }
        }
        return highest;
    }

    private boolean beats(int cohort, int highest) {
        int byShare = share(cohort).compareTo(share(highest));
        if (byShare != 0) {
            return byShare > 0;
        }
        int below = descend(cohort);
        int belowHighest = descend(highest);
        return below != QuotaTree.NONE
                && (belowHighest == QuotaTree.NONE || comesBefore(cohort, below, highest, belowHighest));
    }

    /** Higher share first, then the better of the two queues' first candidates. */
    private boolean comesBefore(int node, int queue, int otherNode, int otherQueue) {
        int byShare = share(node).compareTo(share(otherNode));
        return byShare != 0
                ? byShare > 0
                : order.compare(
                                at(queue).candidates.first(),
                                at(otherQueue).candidates.first())
                        < 0;
    }

    private boolean isAbovePreemptor(int cohort) {
        int node = preemptorQueue;
        while (node != QuotaTree.NONE && node != cohort) {
            node = tree.parent(node);
        }
        return node == cohort;
    }
}
