package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.WaitReason.Mismatch;
import dev.sluice.quota.Taint;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which of several obstacles is told: of flavors the least, of groups and pod sets the greatest. */
@Tag("core")
class DecisiveReasonTest {
    private static ClusterBuilder twoZones(String first, String second) {
        return aCluster()
                .flavor("a", Map.of("zone", "a"))
                .flavor("b", Map.of("zone", "b"))
                .queue("q", queue -> queue.quota("a", GPU, first).quota("b", GPU, second));
    }

    private static PodSet in(String zone, String name, long gpus) {
        return PodSet.of(name, 1, Map.of(GPU, gpus)).on(new TreeMap<>(Map.of("zone", zone)), List.of(), List.of());
    }

    @Test
    void what_keeps_the_pods_off_is_told_of_every_flavor() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("a", Map.of("zone", "a", "arch", "x"))
                .flavor("b", Map.of("zone", "b"), new Taint("spot", "yes", "NoSchedule"))
                .queue("q", queue -> queue.quota("a", GPU, "4").quota("b", GPU, "4")));
        story.submit(aWorkload("asked").in("q").gpus(1).onNodesWith("zone", "c").onNodesWith("disk", "ssd"));
        WaitReason reason = story.reason("asked");
        assertThat(reason)
                .isEqualTo(new WaitReason.NoMatchingFlavor(
                        GPU,
                        List.of(
                                new Mismatch("a", "node labels zone=a"),
                                new Mismatch("b", "taint spot=yes:NoSchedule"))));
        assertThat(reason.isNever()).isTrue();
    }

    @Test
    void affinity_keeps_pods_off_as_node_selectors_do() {
        EngineStory story = EngineStory.on(twoZones("4", "4"));
        PodSet.AffinityTerm inC = new PodSet.AffinityTerm(List.of(new PodSet.Requirement("zone", "In", List.of("c"))));
        story.submit(aWorkload("asked")
                .in("q")
                .pods(0)
                .with(PodSet.of("bound", 1, Map.of(GPU, 1L)).on(new TreeMap<>(), List.of(inC), List.of())));
        assertThat(story.reason("asked"))
                .isEqualTo(new WaitReason.NoMatchingFlavor(
                        GPU,
                        List.of(new Mismatch("a", "node labels zone=a"), new Mismatch("b", "node labels zone=b"))));
    }

    @Test
    void what_kept_another_pod_set_off_a_flavor_is_not_told() {
        EngineStory story = EngineStory.on(twoZones("4", "4"));
        story.submit(
                aWorkload("asked").in("q").pods(0).with(in("b", "first", 1)).with(in("c", "second", 1)));
        assertThat(story.reason("asked"))
                .isEqualTo(new WaitReason.NoMatchingFlavor(
                        GPU,
                        List.of(new Mismatch("a", "node labels zone=a"), new Mismatch("b", "node labels zone=b"))));
    }

    @Test
    void of_flavors_the_least_obstacle_is_told() {
        EngineStory story = EngineStory.on(twoZones("2", "4"));
        story.submit(aWorkload("runs").in("q").gpus(3));
        story.submit(aWorkload("asked").in("q").gpus(3));
        assertThat(story.reason("asked")).isEqualTo(new WaitReason.QuotaExhausted(GPU, "b", 3, 1, 2));
    }

    @Test
    void of_a_flavors_resources_the_greatest_obstacle_is_told() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.quota("cpu", "8").quota(GPU, "4")));
        story.submit(aWorkload("runs").in("q").asks("cpu", "8"));
        story.submit(aWorkload("asked").in("q").asks("cpu", "1").gpus(5));
        assertThat(story.reason("asked")).isEqualTo(new WaitReason.ExceedsMaximum(GPU, "default", 5, 4));
    }

    @Test
    void of_groups_the_greatest_obstacle_is_told() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.quota("cpus", "cpu", "8").quota("gpus", GPU, "4")));
        story.submit(aWorkload("runs").in("q").asks("cpu", "8").gpus(2));
        story.submit(aWorkload("both").in("q").asks("cpu", "1").gpus(3));
        assertThat(story.reason("both"))
                .as("of two that are as bad the first by name")
                .isEqualTo(new WaitReason.QuotaExhausted("cpu", "cpus", 1000, 0, 1000));
    }

    @Test
    void what_another_choice_of_flavors_could_leave_is_exhausted_and_not_too_much_for_ever() {
        EngineStory story = EngineStory.on(twoZones("4", "4"));
        story.submit(aWorkload("runs").in("q").gpus(2).onNodesWith("zone", "b"));
        story.submit(aWorkload("asked").in("q").gpus(3).with(in("a", "second", 3)));
        assertThat(story.reason("asked")).isEqualTo(new WaitReason.QuotaExhausted(GPU, "a", 6, 4, 2));

        EngineStory single = EngineStory.on(aCluster().queue("q", 4));
        single.submit(aWorkload("asked").in("q").gpus(3).with(PodSet.of("second", 1, Map.of(GPU, 3L))));
        assertThat(single.reason("asked")).isEqualTo(new WaitReason.ExceedsMaximum(GPU, "default", 6, 4));
    }

    @Test
    void a_pod_set_that_is_too_large_by_itself_is_too_much_for_ever() {
        EngineStory story = EngineStory.on(twoZones("4", "4"));
        story.submit(aWorkload("asked").in("q").gpus(1).with(in("a", "second", 5)));
        assertThat(story.reason("asked").code()).isEqualTo("EXCEEDS_MAXIMUM");
        EngineStory exactly = EngineStory.on(twoZones("4", "4"));
        exactly.submit(aWorkload("runs").in("q").gpus(4).onNodesWith("zone", "b"));
        exactly.submit(aWorkload("asked").in("q").gpus(1).with(in("a", "second", 4)));
        assertThat(exactly.reason("asked").code()).isEqualTo("QUOTA_EXHAUSTED");
    }

    @Test
    void a_line_that_is_not_chosen_is_not_what_is_missing() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "q",
                                        queue -> queue.quota("a", GPU, "4")
                                                .quota("b", GPU, "4")
                                                .preemptsLower())
                                .queue("other", queue -> queue.quota("a", GPU, "0"))));
        story.submit(
                aWorkload("firm").in("q").gpus(4).priority(9),
                aWorkload("firm2").in("q").gpus(3).priority(9));
        story.submit(aWorkload("asked").in("q").gpus(2));
        assertThat(story.reason("asked").code()).isEqualTo("QUOTA_EXHAUSTED");
    }

    @Test
    void every_reason_has_its_code_and_few_are_for_ever() {
        WorkloadId id = new WorkloadId("w");
        Map<String, WaitReason> reasons = new TreeMap<>();
        for (WaitReason reason : List.of(
                new WaitReason.QuotaExhausted(GPU, "a", 1, 0, 1),
                new WaitReason.ExceedsMaximum(GPU, "a", 2, 1),
                new WaitReason.NoMatchingFlavor(GPU, List.of()),
                new WaitReason.ResourceNotCovered(GPU, "q", 1),
                new WaitReason.NotPlaceable(GPU, "a", 2, 1),
                new WaitReason.AwaitingVictims(List.of(id)),
                new WaitReason.BlockedByEarlier(id, new WaitReason.NotYetConsidered()),
                new WaitReason.QueueStopped("q", null),
                new WaitReason.QueueInactive("q", "gone"),
                new WaitReason.NamespaceNotAllowed("team", "q"),
                new WaitReason.BackingOff(Instant.EPOCH, 1, null),
                new WaitReason.Deactivated(null),
                new WaitReason.AwaitingChecks(new TreeMap<>()),
                new WaitReason.NotYetConsidered())) {
            reasons.put(reason.code(), reason);
        }
        assertThat(reasons.keySet())
                .containsExactly(
                        "AWAITING_CHECKS",
                        "AWAITING_VICTIMS",
                        "BACKING_OFF",
                        "BLOCKED_BY_EARLIER",
                        "DEACTIVATED",
                        "EXCEEDS_MAXIMUM",
                        "NAMESPACE_NOT_ALLOWED",
                        "NOT_PLACEABLE",
                        "NOT_YET_CONSIDERED",
                        "NO_MATCHING_FLAVOR",
                        "QUEUE_INACTIVE",
                        "QUEUE_STOPPED",
                        "QUOTA_EXHAUSTED",
                        "RESOURCE_NOT_COVERED");
        assertThat(reasons.values().stream().filter(WaitReason::isNever).map(WaitReason::code))
                .containsExactly("EXCEEDS_MAXIMUM", "NO_MATCHING_FLAVOR", "RESOURCE_NOT_COVERED");
    }

    @Test
    void of_several_that_are_stuck_the_longest_is_told() {
        WorkloadId first = new WorkloadId("z");
        WorkloadId second = new WorkloadId("a");
        assertThat(new WaitReason.AwaitingVictims(
                                List.of(first, second),
                                new TreeMap<>(Map.of(first, Instant.EPOCH, second, Instant.EPOCH.plusSeconds(1))))
                        .longestStuck())
                .contains(first);
        assertThat(new WaitReason.AwaitingVictims(List.of(first)).longestStuck())
                .isEmpty();
    }

    // Where one stands

    @Test
    void in_a_queue_that_goes_by_usage_those_who_used_less_stand_before_it() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("q", queue -> queue.gpus(4).goesByUsage())
                .localQueue("heavy", "q", "1")
                .localQueue("light", "q", "1"));
        story.submit(aWorkload("runs").in("heavy").gpus(4));
        story.submit(
                aWorkload("h1").in("heavy").gpus(3).priority(9),
                aWorkload("h2").in("heavy").gpus(2),
                aWorkload("l1").in("light").gpus(3),
                aWorkload("l2").in("light").gpus(2).priority(1));
        Explanation last = story.engine().explain(story.id("h2"), story.now()).orElseThrow();
        assertThat(last.ahead()).containsExactly(story.id("l2"), story.id("l1"), story.id("h1"));
        assertThat(last.position()).isEqualTo(4);
        Explanation first = story.engine().explain(story.id("l2"), story.now()).orElseThrow();
        assertThat(first.ahead()).isEmpty();
        assertThat(first.position()).isEqualTo(1);
    }

    @Test
    void a_status_tells_the_queue_that_one_waits_in_and_asks_for_what_was_submitted() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        story.submit(
                aWorkload("runs").in("q").gpus(4),
                aWorkload("waits").in("q").gpus(4),
                aWorkload("astray").in("elsewhere").gpus(1));
        assertThat(story.status("runs").orElseThrow().clusterQueue()).isEqualTo("q");
        assertThat(story.status("waits").orElseThrow().clusterQueue()).isEqualTo("q");
        assertThat(story.status("astray").orElseThrow().clusterQueue()).isNull();
        assertThat(story.status("runs").orElseThrow().particulars().podSets()).isEmpty();
    }
}
