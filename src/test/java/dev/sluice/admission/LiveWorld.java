package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.GPU;

import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorFungibility.Preference;
import dev.sluice.quota.FlavorFungibility.Search;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.StopPolicy;
import dev.sluice.quota.Taint;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.ClusterBuilder.CohortBuilder;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.testkit.WorkloadBuilder;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.PodSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A small cluster of which any part is edited while work runs in it: where queues stand, what they list, who may submit, what nodes there are. */
final class LiveWorld {
    static final String LICENSE = "example.com/license";
    static final List<String> QUEUES = List.of("q1", "q2", "q3", "q4");
    static final List<String> DOORS = List.of("d1", "d2", "d3", "d4", "d5");
    private static final List<String> FLAVORS = List.of("f1", "f2", "f3");
    private static final List<String> COHORTS = List.of("root", "c1", "c2");
    private static final Taint SPECIAL = new Taint("special", "", "NoSchedule");

    private final Random random;
    private final Map<String, Consumer<QueueBuilder>> queues = new TreeMap<>();
    private final Map<String, String> cohortOf = new TreeMap<>();
    private final Map<String, Consumer<QueueBuilder>> owns = new TreeMap<>();
    private final Map<String, String> doors = new TreeMap<>();
    private final Map<String, StopPolicy> doorStops = new TreeMap<>();
    private final Map<String, Map<String, String>> labels = new TreeMap<>();
    private final Map<String, Boolean> tainted = new TreeMap<>();
    private boolean nested;
    private long version = 1;

    LiveWorld(Random random) {
        this.random = random;
        FLAVORS.forEach(this::shapeFlavor);
        COHORTS.forEach(this::shapeCohort);
        QUEUES.forEach(this::shapeQueue);
        DOORS.forEach(door -> doors.put(door, any(QUEUES)));
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    <T> T any(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    private void shapeFlavor(String flavor) {
        labels.put(flavor, chance(60) ? Map.of() : Map.of("zone", chance(50) ? "a" : "b"));
        tainted.put(flavor, chance(15));
    }

    private void shapeCohort(String cohort) {
        boolean limits = !cohort.equals("root");
        long seed = random.nextLong();
        owns.put(cohort, own -> {
            Random dice = new Random(seed);
            own.weighs(List.of("0", "0.5", "1", "2").get(dice.nextInt(4)));
            FLAVORS.forEach(flavor -> quota(own, flavor, dice, 3, limits));
        });
        nested = chance(50);
    }

    private void shapeQueue(String queue) {
        cohortOf.put(queue, chance(10) ? "" : any(COHORTS));
        boolean limits = !cohortOf.getOrDefault(queue, "").isEmpty();
        long seed = random.nextLong();
        queues.put(queue, built -> shape(built, new Random(seed), limits));
    }

    private static void shape(QueueBuilder queue, Random dice, boolean limits) {
        List<String> listed = new ArrayList<>(FLAVORS);
        Collections.shuffle(listed, dice);
        listed.subList(0, 1 + dice.nextInt(FLAVORS.size())).forEach(flavor -> quota(queue, flavor, dice, 6, limits));
        switch (dice.nextInt(3)) {
            case 0 -> queue.preemptsLower();
            case 1 -> queue.preemptsLowerOrNewer();
            default -> {}
        }
        switch (dice.nextInt(3)) {
            case 0 -> queue.reclaimsAny();
            case 1 -> queue.reclaimsLower();
            default -> {}
        }
        if (dice.nextInt(4) == 0) {
            queue.preemptsWhileBorrowing(dice.nextBoolean() ? dice.nextInt(3) : null);
        }
        if (dice.nextInt(4) == 0) {
            queue.strict();
        }
        queue.weighs(List.of("0", "0.5", "1", "1", "3").get(dice.nextInt(5)));
        queue.fungibility(new FlavorFungibility(
                dice.nextBoolean() ? Search.MAY_STOP_SEARCH : Search.TRY_NEXT_FLAVOR,
                dice.nextBoolean() ? Search.MAY_STOP_SEARCH : Search.TRY_NEXT_FLAVOR,
                dice.nextInt(3) > 0 ? Preference.BORROWING_OVER_PREEMPTION : Preference.PREEMPTION_OVER_BORROWING));
        switch (dice.nextInt(12)) {
            case 0 -> queue.stop(StopPolicy.HOLD);
            case 1 -> queue.stop(StopPolicy.HOLD_AND_DRAIN);
            case 2 -> queue.namespaces(null);
            case 3, 4 -> queue.namespaces(NamespaceSelector.of(Map.of("team", "x")));
            default -> {}
        }
    }

    private static void quota(QueueBuilder queue, String flavor, Random dice, int most, boolean limits) {
        for (String resource : List.of(GPU, LICENSE)) {
            queue.quota(flavor, resource, Integer.toString(dice.nextInt(most + 1)));
            if (limits && dice.nextInt(5) == 0) {
                queue.borrowAtMost(dice.nextInt(4));
            }
            if (limits && dice.nextInt(5) == 0) {
                queue.lendAtMost(dice.nextInt(4));
            }
        }
    }

    ClusterBuilder cluster() {
        ClusterBuilder cluster = ClusterBuilder.aCluster().version(version);
        labels.forEach((flavor, carried) -> cluster.flavor(
                flavor, carried, tainted.getOrDefault(flavor, false) ? new Taint[] {SPECIAL} : new Taint[0]));
        cluster.cohort("root", root -> {
            fill(root, "root");
            root.cohort("c1", c1 -> {
                fill(c1, "c1");
                if (nested) {
                    c1.cohort("c2", c2 -> fill(c2, "c2"));
                }
            });
            if (!nested) {
                root.cohort("c2", c2 -> fill(c2, "c2"));
            }
        });
        queues.forEach((name, shape) -> {
            if ("".equals(cohortOf.get(name))) {
                cluster.queue(name, shape);
            }
        });
        doors.forEach((door, queue) -> cluster.localQueue(door, queue, doorStops.getOrDefault(door, StopPolicy.NONE)));
        return cluster;
    }

    private void fill(CohortBuilder cohort, String name) {
        Consumer<QueueBuilder> own = owns.get(name);
        if (own != null) {
            cohort.owns(own);
        }
        queues.forEach((queue, shape) -> {
            if (name.equals(cohortOf.get(queue))) {
                cohort.queue(queue, shape);
            }
        });
    }

    /** One change of the configuration. */
    EngineEvent edit() {
        version++;
        int die = random.nextInt(100);
        if (die < 40) {
            shapeQueue(any(QUEUES));
        } else if (die < 50) {
            queues.remove(any(QUEUES));
        } else if (die < 65) {
            shapeCohort(any(COHORTS));
        } else if (die < 75) {
            shapeFlavor(any(FLAVORS));
        } else if (die < 80) {
            doors.remove(any(DOORS));
        } else if (die < 90) {
            doors.put(any(DOORS), any(QUEUES));
        } else {
            doorStops.put(any(DOORS), any(List.of(StopPolicy.values())));
        }
        return new EngineEvent.ConfigurationReplaced(cluster().build());
    }

    EngineEvent namespaces() {
        return new EngineEvent.NamespacesChanged(new TreeMap<>(
                Map.of(ClusterBuilder.NAMESPACE, new TreeMap<>(Map.of("team", chance(60) ? "x" : "y")))));
    }

    EngineEvent capacity() {
        List<UsableCapacity.Node> nodes = new ArrayList<>();
        for (int number = 1; number <= 1 + random.nextInt(4); number++) {
            nodes.add(new UsableCapacity.Node(
                    "n" + number,
                    new TreeMap<>(Map.of("zone", chance(50) ? "a" : "b")),
                    List.of(),
                    new TreeMap<>(Map.of(GPU, (long) random.nextInt(9)))));
        }
        return new EngineEvent.CapacityChanged(chance(30) ? UsableCapacity.UNLIMITED : new UsableCapacity(true, nodes));
    }

    WorkloadBuilder workload(String name) {
        WorkloadBuilder workload = WorkloadBuilder.aWorkload(name)
                .in(any(DOORS))
                .priority(random.nextInt(4))
                .pods(1 + random.nextInt(3))
                .gpus(random.nextInt(3));
        if (chance(40)) {
            workload.asks(LICENSE, Integer.toString(random.nextInt(3)));
        }
        if (chance(20)) {
            workload.atLeast(1);
        }
        if (chance(20)) {
            workload.onNodesWith("zone", chance(50) ? "a" : "b");
        }
        if (chance(30)) {
            workload.tolerates("special");
        }
        if (chance(20)) {
            workload.with(extra());
        }
        return workload;
    }

    PodSet extra() {
        return PodSet.of("extra", random.nextInt(3), Map.of(GPU, (long) random.nextInt(4)));
    }
}
