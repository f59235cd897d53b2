package dev.sluice.simulation;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorFungibility.Preference;
import dev.sluice.quota.FlavorFungibility.Search;
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
import dev.sluice.quota.Taint;
import dev.sluice.quota.WorkloadPriorityClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A small cluster of random shape, quotas and policies, and random edits of it; all from one seed. */
public final class RandomWorld {
    static final String NAMESPACE = "default";
    static final String GPU = "nvidia.com/gpu";
    static final String LICENSE = "example.com/license";
    private static final String ZONE = "zone";
    private static final List<String> WEIGHTS = List.of("1", "1", "1", "2", "0.5", "0");

    private final Random random;
    /** One group for all resources; else one for each. */
    private final boolean together;

    private final boolean licensed;
    private final List<ResourceFlavor> flavors = new ArrayList<>();
    private final SortedMap<String, Cohort> cohorts = new TreeMap<>();
    private final SortedMap<String, ClusterQueue> queues = new TreeMap<>();
    private final SortedMap<String, StopPolicy> localStops = new TreeMap<>();
    private final List<String> queueNames = new ArrayList<>();
    /** Named by queues or cohorts and perhaps configured. */
    private final List<String> cohortNames = new ArrayList<>();

    private long version;

    public RandomWorld(long seed) {
        random = chanceOf(seed);
        licensed = random.nextBoolean();
        together = random.nextBoolean();
        int flavorCount = 1 + random.nextInt(3);
        for (int number = 1; number <= flavorCount; number++) {
            flavors.add(flavor("f" + number));
        }
        int cohortCount = 1 + random.nextInt(4);
        for (int number = 1; number <= cohortCount; number++) {
            cohortNames.add("c" + number);
        }
        for (int number = 0; number < cohortCount; number++) {
            // An implicit cohort stands for itself: no quota and no parent.
            if (!chance(20)) {
                String parent = number == 0 || chance(15) ? null : cohortNames.get(random.nextInt(number));
                cohorts.put(cohortNames.get(number), cohort(cohortNames.get(number), parent));
            }
        }
        int queueCount = 3 + random.nextInt(4);
        for (int number = 1; number <= queueCount; number++) {
            queueNames.add("q" + number);
            queues.put("q" + number, queue("q" + number, anyCohort()));
        }
    }

    /** What small seeds that follow each other draw first is much the same; mixed, it is not. */
    public static Random chanceOf(long seed) {
        return new Random(new SplittableRandom(seed).nextLong());
    }

    Random random() {
        return random;
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    /** Every queue that ever was, configured now or not; each has a LocalQueue of its name. */
    List<String> queueNames() {
        return queueNames;
    }

    boolean isLicensed() {
        return licensed;
    }

    public Configuration configuration() {
        SortedMap<String, LocalQueue> localQueues = new TreeMap<>();
        queues.keySet()
                .forEach(queue -> localQueues.put(
                        LocalQueue.key(NAMESPACE, queue),
                        new LocalQueue(
                                NAMESPACE,
                                queue,
                                queue,
                                localStops.getOrDefault(queue, StopPolicy.NONE),
                                Quantity.of(1))));
        SortedMap<String, ResourceFlavor> byName = new TreeMap<>();
        flavors.forEach(flavor -> byName.put(flavor.name(), flavor));
        SortedMap<String, WorkloadPriorityClass> classes = new TreeMap<>();
        for (int value = 0; value < 5; value++) {
            classes.put("p" + value, new WorkloadPriorityClass("p" + value, value, ""));
        }
        return new Configuration(
                version, cohorts, queues, localQueues, byName, classes, new TreeMap<>(), new TreeMap<>());
    }

    /** One change, of the kinds that people make while work runs. */
    public Configuration edited() {
        version++;
        String queue = queueNames.get(random.nextInt(queueNames.size()));
        ClusterQueue old = queues.get(queue);
        int die = random.nextInt(100);
        if (die < 8 || old == null) {
            queues.put(queue, queue(queue, anyCohort()));
        } else if (die < 13) {
            queues.remove(queue);
        } else if (die < 20) {
            queues.put(queue, stopped(old, anyStop()));
        } else if (die < 27) {
            localStops.put(queue, anyStop());
        } else if (die < 35 && !cohorts.isEmpty()) {
            String name = List.copyOf(cohorts.keySet()).get(random.nextInt(cohorts.size()));
            cohorts.computeIfPresent(name, (key, cohort) -> cohort(key, cohort.parent()));
        } else {
            queues.replaceAll((name, each) -> chance(60) ? requoted(each) : each);
        }
        return configuration();
    }

    /** All queues, as they are but for plenty of quota of their own, so that whatever waits can run. */
    public Configuration plenty() {
        version++;
        localStops.clear();
        for (String name : queueNames) {
            ClusterQueue queue = queues.containsKey(name) ? queues.get(name) : queue(name, null);
            List<ResourceGroup> groups = new ArrayList<>();
            for (ResourceGroup group : queue.resourceGroups()) {
                groups.add(new ResourceGroup(
                        group.coveredResources(),
                        group.flavors().stream().map(RandomWorld::plenty).toList()));
            }
            queues.put(name, with(queue, null, groups, StopPolicy.NONE));
        }
        flavors.replaceAll(flavor -> new ResourceFlavor(flavor.name(), Map.of(), List.of(), List.of(), null));
        return configuration();
    }

    private static FlavorQuotas plenty(FlavorQuotas flavor) {
        return new FlavorQuotas(
                flavor.flavor(),
                flavor.resources().stream()
                        .map(line -> new ResourceQuota(line.resource(), Quantity.of(1000), null, null))
                        .toList());
    }

    private StopPolicy anyStop() {
        return List.of(StopPolicy.NONE, StopPolicy.NONE, StopPolicy.HOLD, StopPolicy.HOLD_AND_DRAIN)
                .get(random.nextInt(4));
    }

    private @Nullable String anyCohort() {
        return chance(12) ? null : cohortNames.get(random.nextInt(cohortNames.size()));
    }

    private ResourceFlavor flavor(String name) {
        Map<String, String> labels = chance(30) ? Map.of(ZONE, chance(50) ? "a" : "b") : Map.of();
        List<Taint> taints = chance(15) ? List.of(new Taint("special", "", "NoSchedule")) : List.of();
        return new ResourceFlavor(name, labels, taints, List.of(), null);
    }

    private Cohort cohort(String name, @Nullable String parent) {
        List<ResourceGroup> groups = chance(50) ? groups(parent != null, 3) : List.of();
        return new Cohort(name, parent, groups, weight());
    }

    private <T> T any(T[] values) {
        return List.of(values).get(random.nextInt(values.length));
    }

    private Quantity weight() {
        return Quantity.parse(WEIGHTS.get(random.nextInt(WEIGHTS.size())));
    }

    private ClusterQueue queue(String name, @Nullable String cohort) {
        Integer threshold = chance(50) ? random.nextInt(3) : null;
        return new ClusterQueue(
                name,
                cohort,
                null,
                chance(25) ? QueueingStrategy.STRICT_FIFO : QueueingStrategy.BEST_EFFORT_FIFO,
                groups(cohort != null, 7),
                new PreemptionPolicy(
                        any(WithinClusterQueue.values()),
                        any(ReclaimWithinCohort.values()),
                        chance(33) ? new BorrowWithinCohort(true, threshold) : BorrowWithinCohort.NEVER),
                new FlavorFungibility(any(Search.values()), any(Search.values()), any(Preference.values())),
                weight(),
                StopPolicy.NONE,
                NamespaceSelector.EVERY,
                List.of());
    }

    private ClusterQueue requoted(ClusterQueue old) {
        return with(old, old.cohort(), groups(old.cohort() != null, 7), old.stopPolicy());
    }

    private static ClusterQueue stopped(ClusterQueue old, StopPolicy stop) {
        return with(old, old.cohort(), old.resourceGroups(), stop);
    }

    private static ClusterQueue with(
            ClusterQueue old, @Nullable String cohort, List<ResourceGroup> groups, StopPolicy stop) {
        return new ClusterQueue(
                old.name(),
                cohort,
                old.team(),
                old.queueingStrategy(),
                groups,
                old.preemption(),
                old.flavorFungibility(),
                old.weight(),
                stop,
                old.namespaceSelector(),
                old.admissionChecks());
    }

    private List<ResourceGroup> groups(boolean limits, int most) {
        List<String> resources = licensed ? List.of(GPU, LICENSE) : List.of(GPU);
        if (together || !licensed) {
            return List.of(group(resources, flavors, limits, most));
        }
        // A flavor stands in one group only.
        return List.of(
                group(List.of(GPU), flavors.subList(0, Math.max(1, flavors.size() - 1)), limits, most),
                group(List.of(LICENSE), flavors.subList(flavors.size() - 1, flavors.size()), limits, most));
    }

    private ResourceGroup group(List<String> resources, List<ResourceFlavor> choice, boolean limits, int most) {
        List<FlavorQuotas> quotas = new ArrayList<>();
        for (ResourceFlavor flavor : choice) {
            List<ResourceQuota> lines = new ArrayList<>();
            for (String resource : resources) {
                lines.add(new ResourceQuota(
                        resource,
                        Quantity.of(random.nextInt(most + 1)),
                        limits && chance(25) ? Quantity.of(random.nextInt(5)) : null,
                        limits && chance(25) ? Quantity.of(random.nextInt(5)) : null));
            }
            quotas.add(new FlavorQuotas(flavor.name(), lines));
        }
        return new ResourceGroup(resources, quotas);
    }
}
