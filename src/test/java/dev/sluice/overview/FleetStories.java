package dev.sluice.overview;

import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.WaitReason;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.PreemptionPolicy;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.quota.StopPolicy;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Fleets as an engine would show them, written down by hand: what a page is looked at with. */
public final class FleetStories {
    public static final Instant NOW = Instant.parse("2026-03-02T14:05:12Z");
    static final String GPU = "deviceclass/gpu.example.com";

    private final SortedMap<String, ClusterQueue> queues = new TreeMap<>();
    private final SortedMap<String, QuotaUsage.Queue> usage = new TreeMap<>();
    private final Map<String, List<FleetFacts.Front>> fronts = new LinkedHashMap<>();
    private final Map<WorkloadId, Workload> named = new TreeMap<>();

    /** Nothing is configured. */
    public static FleetOverview empty() {
        return new FleetStories().read();
    }

    /** Research alone: eight of its own and twelve borrowed. */
    public static FleetOverview oneTeamBorrows() {
        FleetStories story = threeTeams();
        story.use("serving", 20, 0, 0, 0, 12, 8, 0, 0, 0);
        story.use("batch", 12, 0, 0, 0, 0, 12, 0, 0, 0);
        story.use("research", 8, 20, 0, 12, 0, 12, 0, 0, 10);
        return story.read();
    }

    /** All that batch may reach is in use: four of its ten wait. */
    public static FleetOverview fourWait() {
        FleetStories story = threeTeams();
        story.use("serving", 20, 0, 0, 0, 12, 8, 0, 0, 0);
        story.use("batch", 12, 12, 0, 0, 0, 0, 8, 4, 6);
        story.use("research", 8, 20, 0, 12, 0, 0, 0, 0, 10);
        for (int number = 7; number <= 10; number++) {
            story.waits(
                    "batch",
                    "eval-nightly-" + number,
                    2,
                    100,
                    "batch",
                    new WaitReason.QuotaExhausted(GPU, "default", 2, 0, 2));
        }
        return story.read();
    }

    /** Serving calls its quota back: three groups wait for six research jobs to leave. */
    public static FleetOverview ownerCallsBack() {
        FleetStories story = threeTeams();
        story.use("serving", 20, 20, 12, 0, 0, 0, 12, 3, 2);
        story.use("batch", 12, 12, 0, 0, 0, 0, 8, 4, 6);
        story.use("research", 8, 20, 0, 12, 0, 0, 0, 0, 10);
        for (int number = 7; number <= 10; number++) {
            story.waits(
                    "batch",
                    "eval-nightly-" + number,
                    2,
                    100,
                    "batch",
                    new WaitReason.QuotaExhausted(GPU, "default", 2, 0, 2));
        }
        List<WorkloadId> victims = new ArrayList<>();
        for (int number = 5; number <= 10; number++) {
            victims.add(story.name("research", "sweep-" + number));
        }
        for (int number = 3; number <= 5; number++) {
            story.waits(
                    "serving",
                    "chat-eu-" + number,
                    4,
                    1000,
                    "serving",
                    new WaitReason.AwaitingVictims(victims.subList(2 * number - 6, 2 * number - 4)));
        }
        return story.read();
    }

    /** A thousand queues in which a hundred thousand wait, in several lines. */
    public static FleetOverview muchData() {
        FleetStories story = new FleetStories();
        for (int number = 0; number < 1000; number++) {
            String name = "team-%03d".formatted(number);
            story.queues.put(
                    name,
                    queue(
                            name,
                            "org-" + number / 100,
                            List.of(
                                    new ResourceQuota(GPU, Quantity.of(64 + number % 7 * 16), null, null),
                                    new ResourceQuota("cpu", Quantity.of(512), null, null),
                                    new ResourceQuota("memory", Quantity.of(4L << 40), null, null))));
            long nominal = 64 + number % 7 * 16L;
            long used = (number * 37L) % (nominal + 40);
            int waiting = number < 400 ? 250 + (number * 7919) % 61 - 30 : 0;
            story.usage.put(
                    name,
                    new QuotaUsage.Queue(
                            List.of(
                                    new QuotaUsage.Line(
                                            "default",
                                            GPU,
                                            nominal,
                                            used,
                                            0,
                                            Math.max(0, used - nominal),
                                            Math.max(0, Math.min(20, nominal - used)),
                                            0,
                                            0,
                                            nominal * 3,
                                            waiting * 8L),
                                    new QuotaUsage.Line(
                                            "default", "cpu", 512000, used * 4000, 0, 0, 0, 0, 100000, 5120000, 0),
                                    new QuotaUsage.Line(
                                            "default",
                                            "memory",
                                            4L << 40,
                                            used << 33,
                                            0,
                                            0,
                                            0,
                                            0,
                                            1L << 40,
                                            40L << 40,
                                            0)),
                            waiting,
                            (int) used / 8,
                            0,
                            null));
            if (number < 6) {
                for (int each = 1; each <= 5; each++) {
                    story.waits(
                            name,
                            "pretrain-multilingual-encoder-large-" + number + each,
                            8,
                            100,
                            "batch",
                            new WaitReason.QuotaExhausted(GPU, "default", 8, number, 8 - number));
                }
            }
        }
        return story.read();
    }

    private static FleetStories threeTeams() {
        FleetStories story = new FleetStories();
        story.queues.put(
                "serving",
                queue("serving", "org", List.of(new ResourceQuota(GPU, Quantity.of(20), null, Quantity.of(12)))));
        story.queues.put("batch", queue("batch", "org", List.of(new ResourceQuota(GPU, Quantity.of(12), null, null))));
        story.queues.put(
                "research", queue("research", "org", List.of(new ResourceQuota(GPU, Quantity.of(8), null, null))));
        return story;
    }

    private static ClusterQueue queue(String name, String cohort, List<ResourceQuota> quotas) {
        return new ClusterQueue(
                name,
                cohort,
                name,
                QueueingStrategy.BEST_EFFORT_FIFO,
                List.of(new ResourceGroup(
                        quotas.stream().map(ResourceQuota::resource).toList(),
                        List.of(new FlavorQuotas("default", quotas)))),
                PreemptionPolicy.NEVER,
                FlavorFungibility.DEFAULT,
                Quantity.of(1),
                StopPolicy.NONE,
                NamespaceSelector.EVERY,
                List.of());
    }

    private void use(
            String queue,
            long nominal,
            long used,
            long earmarked,
            long borrowed,
            long lent,
            long available,
            long wanted,
            int waiting,
            int admitted) {
        long reach = queue.equals("serving") ? 40 : 32;
        usage.put(
                queue,
                new QuotaUsage.Queue(
                        List.of(new QuotaUsage.Line(
                                "default", GPU, nominal, used, earmarked, borrowed, lent, 0, available, reach, wanted)),
                        waiting,
                        admitted,
                        0,
                        null));
    }

    private WorkloadId name(String queue, String name) {
        Workload workload = workload(queue, name, 2, 10, "experiment");
        named.put(workload.id(), workload);
        return workload.id();
    }

    private void waits(
            String queue, String name, long gpus, int priority, String priorityClass, @Nullable WaitReason reason) {
        List<FleetFacts.Front> front = fronts.computeIfAbsent(queue, key -> new ArrayList<>());
        Workload workload = workload(queue, name, gpus, priority, priorityClass);
        front.add(new FleetFacts.Front(
                workload,
                new WorkloadStatus(
                        WorkloadState.PENDING,
                        queue,
                        queue,
                        priorityClass,
                        priority,
                        true,
                        NOW.minusSeconds(754 - 40L * front.size()),
                        null,
                        null,
                        0,
                        false,
                        List.of(),
                        null,
                        0,
                        null,
                        null),
                front.size() + 1,
                reason));
    }

    private static Workload workload(String queue, String name, long gpus, int priority, String priorityClass) {
        return new Workload(
                new WorkloadId(queue + "-" + name),
                1,
                name,
                queue,
                queue,
                priorityClass,
                priority,
                List.of(PodSet.of("main", 1, Map.of(GPU, gpus))),
                NOW,
                null,
                null);
    }

    private FleetOverview read() {
        Configuration configuration = new Configuration(
                1,
                new TreeMap<>(),
                queues,
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>());
        return FleetOverview.of(new FleetFacts(NOW, configuration, new QuotaUsage(usage), fronts, named));
    }
}
