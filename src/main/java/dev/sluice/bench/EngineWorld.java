package dev.sluice.bench;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.PreemptionPolicy;
import dev.sluice.quota.PreemptionPolicy.BorrowWithinCohort;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.quota.StopPolicy;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A cluster of equal queues in one cohort, each of which may preempt what is lower in itself and take back its own from anybody; and
 * work for it, of as many shapes as wanted: shapes differ in GPUs (1 to 8), in memory, and with them in priority (0 to 3).
 */
final class EngineWorld {
    static final String GPU = "nvidia.com/gpu";
    static final String MEMORY = "memory";
    static final int GPUS_OF_A_QUEUE = 16;

    private static final String FLAVOR = "default";
    private static final String NAMESPACE = "bench";
    private static final int PRIORITIES = 4;
    private static final int MOST_GPUS = 8;

    private final List<String> queues = new ArrayList<>();
    private final int shapes;
    private final Random random;
    private long sequence;

    /** @param shapes how many requests there are that differ */
    EngineWorld(int queues, int shapes, long seed) {
        random = new Random(seed);
        for (int number = 0; number < queues; number++) {
            this.queues.add(String.format(Locale.ROOT, "q%05d", number));
        }
        this.shapes = shapes;
    }

    Configuration configuration() {
        return configuration(GPUS_OF_A_QUEUE);
    }

    /** @param gpus of each queue */
    Configuration configuration(long gpus) {
        TreeMap<String, ClusterQueue> all = new TreeMap<>();
        TreeMap<String, LocalQueue> doors = new TreeMap<>();
        for (String name : queues) {
            all.put(name, queue(name, gpus));
            LocalQueue door = new LocalQueue(NAMESPACE, name, name, StopPolicy.NONE, Quantity.of(1));
            doors.put(door.key(), door);
        }
        return new Configuration(
                1,
                new TreeMap<>(),
                all,
                doors,
                new TreeMap<>(Map.of(FLAVOR, new ResourceFlavor(FLAVOR, Map.of(), List.of(), List.of(), null))),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>());
    }

    private static ClusterQueue queue(String name, long gpus) {
        List<ResourceQuota> quotas = List.of(
                new ResourceQuota(GPU, Quantity.of(gpus), null, null),
                new ResourceQuota(MEMORY, Quantity.parse("1Ti"), null, null));
        return new ClusterQueue(
                name,
                "root",
                null,
                QueueingStrategy.BEST_EFFORT_FIFO,
                List.of(new ResourceGroup(List.of(GPU, MEMORY), List.of(new FlavorQuotas(FLAVOR, quotas)))),
                new PreemptionPolicy(
                        WithinClusterQueue.LOWER_PRIORITY, ReclaimWithinCohort.ANY, BorrowWithinCohort.NEVER),
                FlavorFungibility.DEFAULT,
                Quantity.of(1),
                StopPolicy.NONE,
                NamespaceSelector.EVERY,
                List.of());
    }

    List<String> queues() {
        return queues;
    }

    /** Of any shape, in any queue. Equal requests are objects of their own, as those are that come over a wire. */
    Workload any(Instant createdAt) {
        int shape = random.nextInt(shapes);
        String queue = queues.get(random.nextInt(queues.size()));
        int priority = shape / MOST_GPUS % PRIORITIES;
        return workload(queue, 1L + shape % MOST_GPUS, 1L + shape / MOST_GPUS, priority, createdAt);
    }

    Workload workload(String queue, long gpus, long memory, int priority, Instant createdAt) {
        sequence++;
        String name = String.format(Locale.ROOT, "w%07d", sequence);
        return new Workload(
                new WorkloadId(name),
                sequence,
                name,
                NAMESPACE,
                queue,
                null,
                priority,
                List.of(PodSet.of("main", 1, Map.of(GPU, gpus, MEMORY, memory))),
                createdAt,
                null,
                null);
    }
}
