package dev.sluice.admission;

import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorFungibility.Preference;
import dev.sluice.quota.FlavorFungibility.Search;
import dev.sluice.quota.StopPolicy;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.ClusterBuilder.CohortBuilder;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.testkit.WorkloadBuilder;
import dev.sluice.workload.PodSet;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Small random clusters and workloads, all from one seed. */
final class RandomWorlds {
    static final List<String> QUEUES = List.of("q1", "q2", "q3", "q4", "q5");
    private static final List<String> FLAVORS = List.of("f1", "f2");

    private final Random random;
    private final int flavors;
    private final int resources;
    private final long shape;

    RandomWorlds(long seed) {
        random = new Random(seed);
        flavors = 1 + random.nextInt(2);
        resources = 1 + random.nextInt(2);
        shape = random.nextLong();
    }

    Random random() {
        return random;
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    /** The same tree and policies each time, with quotas drawn anew. */
    ClusterBuilder cluster(boolean withAllQueues) {
        Random tree = new Random(shape);
        ClusterBuilder cluster = ClusterBuilder.aCluster();
        cluster.cohort("root", root -> {
            if (tree.nextBoolean()) {
                root.owns(own -> quotas(own, 3));
            }
            root.queue("q1", queue -> queue(queue, tree)).queue("q2", queue -> queue(queue, tree));
            inner(root, tree);
        });
        cluster.queue("q5", queue -> queue(queue, tree));
        if (!withAllQueues) {
            cluster.without(QUEUES.get(random.nextInt(QUEUES.size())));
        }
        return cluster;
    }

    private void inner(CohortBuilder root, Random tree) {
        root.cohort("inner", inner -> {
            if (tree.nextBoolean()) {
                inner.owns(own -> quotas(own, 3));
            }
            inner.queue("q3", queue -> queue(queue, tree)).queue("q4", queue -> queue(queue, tree));
        });
    }

    private void queue(QueueBuilder queue, Random tree) {
        quotas(queue, 7);
        switch (tree.nextInt(3)) {
            case 0 -> queue.preemptsLower();
            case 1 -> queue.preemptsLowerOrNewer();
            default -> {}
        }
        switch (tree.nextInt(3)) {
            case 0 -> queue.reclaimsAny();
            case 1 -> queue.reclaimsLower();
            default -> {}
        }
        if (tree.nextInt(3) == 0) {
            queue.preemptsWhileBorrowing(tree.nextBoolean() ? tree.nextInt(3) : null);
        }
        if (tree.nextInt(4) == 0) {
            queue.strict();
        }
        queue.fungibility(new FlavorFungibility(
                tree.nextBoolean() ? Search.MAY_STOP_SEARCH : Search.TRY_NEXT_FLAVOR,
                tree.nextBoolean() ? Search.MAY_STOP_SEARCH : Search.TRY_NEXT_FLAVOR,
                tree.nextBoolean() ? Preference.BORROWING_OVER_PREEMPTION : Preference.PREEMPTION_OVER_BORROWING));
        if (chance(3)) {
            queue.stop(chance(50) ? StopPolicy.HOLD : StopPolicy.HOLD_AND_DRAIN);
        }
    }

    private void quotas(QueueBuilder queue, int most) {
        for (int flavor = 0; flavor < flavors; flavor++) {
            for (int resource = 0; resource < resources; resource++) {
                queue.quota(FLAVORS.get(flavor), resource(resource), Integer.toString(random.nextInt(most + 1)));
                if (chance(25)) {
                    queue.borrowAtMost(random.nextInt(5));
                }
                if (chance(25)) {
                    queue.lendAtMost(random.nextInt(5));
                }
            }
        }
    }

    private static String resource(int index) {
        return index == 0 ? ClusterBuilder.GPU : "example.com/license";
    }

    WorkloadBuilder workload(String name) {
        WorkloadBuilder workload = WorkloadBuilder.aWorkload(name)
                .in(QUEUES.get(random.nextInt(QUEUES.size())))
                .priority(random.nextInt(4))
                .pods(1 + random.nextInt(3));
        if (chance(25)) {
            workload.atLeast(1);
        }
        for (int resource = 0; resource < resources; resource++) {
            workload.asks(resource(resource), Integer.toString(random.nextInt(4)));
        }
        if (chance(15)) {
            workload.with(PodSet.of("extra", 1, Map.of(ClusterBuilder.GPU, 1L + random.nextInt(2))));
        }
        return workload;
    }
}
