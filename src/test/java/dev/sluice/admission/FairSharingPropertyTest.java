package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.FairSharing.Strategy;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.testkit.RandomTrials;
import dev.sluice.testkit.WorkloadBuilder;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: fair sharing comes to rest, and nobody evicts whoever evicted it. Method: small systems of up to three queues and six workloads, in
 * a flat cohort or with a cohort inside, submitted in any order and then left alone; victims end at once.
 */
@Tag("core")
class FairSharingPropertyTest {
    private static final String LICENSE = "example.com/license";
    private static final int SYSTEMS = 6000;
    private static final int ROUNDS_MOST = 100;
    private static final List<FairSharing> STRATEGIES = List.of(
            FairSharing.ON,
            new FairSharing(List.of(Strategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE)),
            new FairSharing(List.of(Strategy.LESS_THAN_INITIAL_SHARE)));

    private record Eviction(WorkloadId by, WorkloadId victim) {}

    @Test
    void fs_05_no_two_workloads_evict_each_other_and_everything_comes_to_rest() {
        for (long seed = 0; seed < RandomTrials.outOf(SYSTEMS); seed++) {
            AdmissionSettings settings =
                    AdmissionSettings.defaults().with(STRATEGIES.get((int) (seed % STRATEGIES.size())));
            assertThat(play(seed, settings)).as("seed %s", seed).isEmpty();
        }
    }

    /** The property can fail: these are decisions of Kueue that this engine deviates from. */
    @Test
    void without_the_deviations_some_of_these_systems_never_come_to_rest() {
        boolean restless = false;
        for (long seed = 0; seed < SYSTEMS && !restless; seed++) {
            AdmissionSettings settings =
                    AdmissionSettings.kueueParity().with(STRATEGIES.get((int) (seed % STRATEGIES.size())));
            restless = !play(seed, settings).isEmpty();
        }
        assertThat(restless).isTrue();
    }

    /** Empty = it came to rest without mutual evictions. */
    private static String play(long seed, AdmissionSettings settings) {
        Random random = new Random(seed);
        boolean twoResources = random.nextInt(3) == 0;
        int queues = 2 + random.nextInt(2);
        EngineStory story = EngineStory.on(cluster(random, queues, twoResources).build(), settings);
        List<WorkloadBuilder> workloads = new ArrayList<>();
        for (int number = 1; number <= 2 + random.nextInt(5); number++) {
            WorkloadBuilder workload = aWorkload("w" + number)
                    .in("q" + random.nextInt(queues))
                    .gpus(1 + random.nextInt(3))
                    .priority(random.nextInt(3));
            if (twoResources) {
                workload.asks(LICENSE, Integer.toString(random.nextInt(3)));
            }
            workloads.add(workload);
        }
        for (WorkloadBuilder workload : workloads) {
            story.submit(workload);
            if (random.nextBoolean() && !settle(story)) {
                return "does not come to rest";
            }
        }
        return settle(story) ? mutual(story.decisions()) : "does not come to rest";
    }

    private static ClusterBuilder cluster(Random random, int queues, boolean twoResources) {
        boolean nested = random.nextInt(3) == 0;
        int inside = random.nextInt(queues);
        List<Consumer<QueueBuilder>> shapes = new ArrayList<>();
        for (int number = 0; number < queues; number++) {
            String gpus = Integer.toString(random.nextInt(4));
            String licenses = Integer.toString(random.nextInt(3));
            String weight = List.of("0", "1", "1", "2").get(random.nextInt(4));
            shapes.add(queue -> {
                queue.quota(ClusterBuilder.GPU, gpus)
                        .preemptsLower()
                        .reclaimsAny()
                        .weighs(weight);
                if (twoResources) {
                    queue.quota(LICENSE, licenses);
                }
            });
        }
        String shared = Integer.toString(random.nextInt(4));
        String inner = Integer.toString(random.nextInt(4));
        return aCluster().cohort("root", root -> {
            root.owns(own -> {
                own.quota(ClusterBuilder.GPU, shared);
                if (twoResources) {
                    own.quota(LICENSE, shared);
                }
            });
            for (int number = 0; number < queues; number++) {
                String name = "q" + number;
                Consumer<QueueBuilder> shape = shapes.get(number);
                if (nested && number != inside) {
                    root.cohort(
                            "inner-" + number % 2,
                            cohort -> cohort.owns(own -> {
                                        own.quota(ClusterBuilder.GPU, inner);
                                        if (twoResources) {
                                            own.quota(LICENSE, inner);
                                        }
                                    })
                                    .queue(name, shape));
                } else {
                    root.queue(name, shape);
                }
            }
        });
    }

    private static boolean settle(EngineStory story) {
        for (int round = 0; round < ROUNDS_MOST; round++) {
            List<String> leaving = story.in(WorkloadState.EVICTING);
            if (leaving.isEmpty()) {
                return true;
            }
            story.gone(leaving.toArray(String[]::new));
        }
        return false;
    }

    /** Its own quota a queue may take back from anybody. */
    private static String mutual(List<Decision> decisions) {
        Set<Eviction> evictions = new HashSet<>();
        for (Decision decision : decisions) {
            if (decision instanceof Decision.Preempt preempt) {
                for (Decision.Victim victim : preempt.victims()) {
                    boolean first = victim.reason() == EvictionReason.IN_COHORT_RECLAMATION
                            || evictions.add(new Eviction(preempt.workload(), victim.workload()));
                    if (!first && victim.reason() == EvictionReason.IN_COHORT_FAIR_SHARING) {
                        return preempt.workload() + " evicts " + victim.workload() + " again";
                    }
                }
            }
        }
        for (Eviction eviction : evictions) {
            if (evictions.contains(new Eviction(eviction.victim(), eviction.by()))) {
                return eviction.by() + " and " + eviction.victim() + " evict each other";
            }
        }
        return "";
    }
}
