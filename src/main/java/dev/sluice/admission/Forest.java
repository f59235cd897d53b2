package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.ShareRanking;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;

/**
 * The trees of one configuration with who waits and what is charged in them. A new configuration gets a new forest, into
 * which everybody is planted anew: numbers of nodes and lines mean nothing outside of theirs.
 *
 * <h2>Two ledgers</h2>
 *
 * While a preemptor waits for its victims, two questions about quota have different answers, so two ledgers are kept:
 *
 * <ul>
 *   <li><b>held</b>: what is really occupied. A charge enters when a workload is admitted and leaves when its pods are
 *       gone, whatever its state in between. It answers "may this start now?".
 *   <li><b>promised</b>: how things stand once everyone who must leave has left. Whoever is on the way out does not count,
 *       and an earmark counts as if its workload ran. It answers "whose is it?", and every nomination and victim search
 *       works on it.
 * </ul>
 *
 * So with leaving workloads L, earmarks E and the rest R: held = R + L, promised = R + E. The rules are
 *
 * <ol>
 *   <li>who fits promised and held is admitted: R grows, both ledgers stay within quota;
 *   <li>who fits promised but not held is earmarked: it waits for some of L and the part that was already free is its
 *       own from now on, since everyone after it is measured against promised;
 *   <li>who needs victims takes them out of promised (R becomes L; held does not change) and is earmarked;
 *   <li>an earmark becomes an admission as soon as it fits held (E becomes R; promised does not change).
 * </ol>
 *
 * Hence held never grows except by what fits it, so nothing is over-admitted; and promised stays within quota, so when all
 * of L is gone every earmark fits: held = R ≤ R + E. Victims that free more than was needed leave room in promised, which
 * others may be earmarked on but cannot occupy before it is really free. One ledger with "the victim's charge becomes the
 * preemptor's" fails there: charges of different size, in different queues, do not replace each other.
 *
 * <p>A higher priority may take an earmark over: an earmarked workload is a candidate like one that runs, and loses its
 * earmark instead of being evicted. Who is on the way out and stuck counts as one of R again if {@link StuckVictims} says so: then
 * promised may be over quota, and earmarks end until it is not. Without earmarks (parity) there is one ledger, which those on their
 * way out occupy until they are gone.
 */
final class Forest {
    final World world;
    final Ledger promised;
    /** The same ledger as {@link #promised} without earmarks. */
    final Ledger held;

    private final List<QueueState> queues = new ArrayList<>();
    private final List<QueueState> usageBased = new ArrayList<>();
    private final SortedMap<Integer, TreeState> trees = new TreeMap<>();

    /** @param usageOf what a LocalQueue used of late */
    Forest(World world, AdmissionSettings settings, CandidateOrder order, ToDoubleFunction<String> usageOf) {
        this.world = world;
        promised = new Ledger(world.tree());
        held = settings.earmarks() ? new Ledger(world.tree()) : promised;
        ShareRanking ranking = settings.fairSharing().isOn() ? promised.shareRanking() : null;
        for (CompiledQueue compiled : world.queues()) {
            TreeState tree = trees.computeIfAbsent(
                    world.tree().root(compiled.node()), root -> new TreeState(root, order, settings, ranking));
            QueueState queue = new QueueState(compiled, usageOf, tree);
            tree.add(queue);
            queues.add(queue);
            if (queue.isUsageBased()) {
                usageBased.add(queue);
            }
        }
        if (ranking != null) {
            ranking.breakTiesBy(node -> queue(node).holders.firstTaken(order));
            ranking.tellWithoutOne((ledger, node) -> queue(node).holders.mostWithoutOne(ledger, node));
        }
    }

    QueueState queue(int node) {
        return queues.get(node);
    }

    List<QueueState> queues() {
        return queues;
    }

    /** Those whose order changes as time goes by. */
    List<QueueState> usageBased() {
        return usageBased;
    }

    Collection<TreeState> trees() {
        return trees.values();
    }

    TreeState treeOf(int queue) {
        TreeState tree = trees.get(world.tree().root(queue));
        if (tree == null) {
            throw new IllegalStateException("no tree has queue " + world.tree().name(queue));
        }
        return tree;
    }

    /** Where no quota of the tree moved, who was parked stays parked, and what scans remember stays dated. */
    void keepParked(Forest before) {
        // Putting everybody in their places moved nothing.
        trees.values().forEach(TreeState::takeMoved);
        if (before.world.capacity().equals(world.capacity())) {
            Map<Integer, List<Object>> quotas = new HashMap<>();
            Map<Integer, List<Object>> quotasBefore = new HashMap<>();
            for (QueueState old : before.queues) {
                keepParked(
                        old,
                        before,
                        root -> quotasBefore.computeIfAbsent(root, before.world::quotaObjects),
                        root -> quotas.computeIfAbsent(root, world::quotaObjects));
            }
        }
    }

    private void keepParked(
            QueueState old, Forest before, IntFunction<List<Object>> quotasBefore, IntFunction<List<Object>> quotas) {
        CompiledQueue compiled = world.queue(old.name());
        if (compiled == null) {
            return;
        }
        QueueState queue = queue(compiled.node());
        TreeState oldTree = before.treeOf(old.node());
        TreeState tree = treeOf(compiled.node());
        tree.follow(oldTree);
        queue.generation = old.generation;
        queue.sticky = old.sticky != null && old.sticky.lane != null ? old.sticky : null;
        int oldRoot = before.world.tree().root(old.node());
        int root = world.tree().root(compiled.node());
        if (quotasBefore.apply(oldRoot).equals(quotas.apply(root))) {
            queue.parkLike(old, lane -> true);
        } else {
            queue.generation++;
            queue.parkLike(old, Lane::isMisplaced);
        }
    }

    /** After saturated amounts a release does not undo a charge: the ledgers are counted anew. */
    void countAnewIfSaturated(Iterable<TrackedWorkload> everybody) {
        if (!promised.sawSaturation() && !held.sawSaturation()) {
            return;
        }
        promised.clear();
        held.clear();
        queues.forEach(QueueState::holdersChanged);
        boolean twoLedgers = !held.equals(promised);
        for (TrackedWorkload one : everybody) {
            Charge charge = one.charge;
            if (charge != null && (!one.isEvicting() || one.givenUpOn || !twoLedgers)) {
                charge.addTo(promised);
            }
            if (charge != null && twoLedgers && !one.isEarmarked()) {
                charge.addTo(held);
            }
        }
    }
}
