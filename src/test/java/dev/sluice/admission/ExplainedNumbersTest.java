package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.Explanation.FlavorFinding;
import dev.sluice.admission.Explanation.Holder;
import dev.sluice.admission.Explanation.PreemptionFinding;
import dev.sluice.admission.Explanation.Verdict;
import dev.sluice.quota.StopPolicy;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadState;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an explanation tells of a flavor, of whom one waits behind, and of who is in its way. */
@Tag("core")
class ExplainedNumbersTest {
    private static Explanation explained(EngineStory story, String name) {
        return story.engine().explain(story.id(name), story.now()).orElseThrow();
    }

    private static FlavorFinding onlyFlavor(EngineStory story, String name) {
        List<FlavorFinding> flavors =
                explained(story, name).requirements().getFirst().flavors();
        assertThat(flavors).hasSize(1);
        return flavors.getFirst();
    }

    /** The own queue has 4 and others 8; the shape says what the own queue may do. */
    private static EngineStory lab(Consumer<QueueBuilder> shape) {
        return EngineStory.on(
                aCluster().cohort("lab", lab -> lab.queue("own", shape).queue("other", 8)));
    }

    private static EngineStory lab() {
        return lab(queue -> queue.gpus(4));
    }

    @Test
    void what_is_used_free_and_short_and_who_has_it() {
        EngineStory story = lab();
        story.submit(aWorkload("mine").in("own").gpus(3));
        story.submit(
                aWorkload("theirs").in("other").gpus(4),
                aWorkload("more").in("other").gpus(3));
        story.submit(aWorkload("asked").in("own").gpus(4));

        Explanation explanation = explained(story, "asked");
        assertThat(explanation.verdict()).isEqualTo(Verdict.WAIT);
        assertThat(explanation.reason()).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 4, 2, 2));
        assertThat(explanation.assignment()).isNull();
        assertThat(explanation.victims()).isEmpty();
        assertThat(explanation.requirements())
                .containsExactly(new Explanation.Requirement(
                        GPU,
                        4,
                        List.of(new FlavorFinding(
                                FLAVOR,
                                false,
                                4,
                                3,
                                2,
                                1,
                                2,
                                null,
                                List.of(
                                        new Holder(story.id("theirs"), "other", 4),
                                        new Holder(story.id("mine"), "own", 3),
                                        new Holder(story.id("more"), "other", 3)),
                                new PreemptionFinding(false, "POLICY_NEVER")))));
    }

    @Test
    void a_queue_that_borrows_has_nothing_of_its_own_left() {
        EngineStory story = lab();
        story.submit(aWorkload("mine").in("own").gpus(6));
        story.submit(aWorkload("asked").in("own").gpus(9));
        FlavorFinding finding = onlyFlavor(story, "asked");
        assertThat(finding.available()).isEqualTo(6);
        assertThat(finding.borrowable()).isEqualTo(6);
        assertThat(finding.shortBy()).isEqualTo(3);
    }

    @Test
    void of_what_others_borrowed_nothing_is_its_own() {
        EngineStory story = lab();
        story.submit(aWorkload("theirs").in("other").gpus(10));
        story.submit(aWorkload("asked").in("own").gpus(4));
        FlavorFinding finding = onlyFlavor(story, "asked");
        assertThat(finding.available()).isEqualTo(2);
        assertThat(finding.borrowable()).isZero();
    }

    @Test
    void all_pod_sets_are_counted_together_and_what_fits_is_in_nobodys_way() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.quota(GPU, "4").quota("cpu", "8")));
        story.submit(aWorkload("runs").in("q").asks("cpu", "5"));
        story.submit(aWorkload("asked")
                .in("q")
                .gpus(1)
                .pods(3)
                .asks("cpu", "1")
                .with(PodSet.of("extra", 1, Map.of("cpu", 1000L, GPU, 1L))));
        List<Explanation.Requirement> requirements = explained(story, "asked").requirements();
        assertThat(requirements).extracting(Explanation.Requirement::resource).containsExactly("cpu", GPU);
        assertThat(requirements).extracting(Explanation.Requirement::needed).containsExactly(4000L, 4L);
        assertThat(requirements.get(0).flavors())
                .containsExactly(new FlavorFinding(
                        FLAVOR,
                        false,
                        8000,
                        5000,
                        3000,
                        0,
                        1000,
                        null,
                        List.of(new Holder(story.id("runs"), "q", 5000)),
                        new PreemptionFinding(false, "POLICY_NEVER")));
        assertThat(requirements.get(1).flavors())
                .containsExactly(new FlavorFinding(
                        FLAVOR, true, 4, 0, 4, 0, 0, null, List.of(), new PreemptionFinding(false, "NOT_NEEDED")));
    }

    @Test
    void a_resource_without_a_line_has_no_flavor() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        story.submit(aWorkload("asked").in("q").gpus(1).asks("example.com/fpga", "1"));
        Explanation explanation = explained(story, "asked");
        assertThat(explanation.verdict()).isEqualTo(Verdict.NEVER);
        assertThat(explanation.requirements().getFirst().resource()).isEqualTo("example.com/fpga");
        assertThat(explanation.requirements().getFirst().flavors()).isEmpty();
        assertThat(explanation.requirements().getLast().flavors()).hasSize(1);
    }

    @Test
    void ten_that_use_the_most_of_it_are_named() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 30));
        for (int number = 10; number < 22; number++) {
            story.submit(aWorkload("w" + number).in("q").gpus(number < 12 ? 1 : 2));
        }
        story.submit(aWorkload("large").in("q").gpus(8));
        story.submit(aWorkload("asked").in("q").gpus(2));
        assertThat(onlyFlavor(story, "asked").blockedBy())
                .hasSize(10)
                .startsWith(new Holder(story.id("large"), "q", 8), new Holder(story.id("w12"), "q", 2))
                .endsWith(new Holder(story.id("w20"), "q", 2));
    }

    @Test
    void who_uses_something_else_is_in_nobodys_way() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.quota(GPU, "4").quota("cpu", "8")));
        story.submit(
                aWorkload("cpus").in("q").asks("cpu", "8"),
                aWorkload("gpus").in("q").gpus(4));
        story.submit(aWorkload("asked").in("q").gpus(1));
        assertThat(onlyFlavor(story, "asked").blockedBy()).containsExactly(new Holder(story.id("gpus"), "q", 4));
    }

    @Test
    void what_would_have_to_go_and_why_it_does_not() {
        EngineStory none = lab();
        none.submit(aWorkload("theirs").in("other").gpus(12));
        none.submit(aWorkload("asked").in("own").gpus(13));
        assertThat(onlyFlavor(none, "asked").preemption()).isEqualTo(new PreemptionFinding(false, "EXCEEDS_MAXIMUM"));
        none.submit(aWorkload("all").in("own").gpus(12));
        assertThat(onlyFlavor(none, "all").preemption()).isEqualTo(new PreemptionFinding(false, "POLICY_NEVER"));

        EngineStory own = lab(queue -> queue.gpus(4).preemptsLower());
        own.submit(aWorkload("firm").in("own").gpus(4).priority(9));
        own.submit(aWorkload("theirs").in("other").gpus(8));
        own.submit(aWorkload("exactly").in("own").gpus(4));
        assertThat(onlyFlavor(own, "exactly").preemption()).isEqualTo(new PreemptionFinding(false, "NO_CANDIDATES"));
        own.submit(aWorkload("more").in("own").gpus(5));
        assertThat(onlyFlavor(own, "more").preemption()).isEqualTo(new PreemptionFinding(false, "WOULD_BORROW"));
    }

    @Test
    void a_flavor_that_does_not_go_with_the_pods_is_told_so_with_whats_free_on_it() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("a", Map.of("zone", "a"))
                .flavor("b", Map.of("zone", "b"))
                .queue("q", queue -> queue.quota("a", GPU, "4").quota("b", GPU, "4")));
        story.submit(
                aWorkload("on-a").in("q").gpus(4).onNodesWith("zone", "a"),
                aWorkload("on-b").in("q").gpus(1).onNodesWith("zone", "b"));
        story.submit(aWorkload("asked").in("q").gpus(2).onNodesWith("zone", "a"));
        List<FlavorFinding> flavors =
                explained(story, "asked").requirements().getFirst().flavors();
        assertThat(flavors).extracting(FlavorFinding::flavor).containsExactly("a", "b");
        assertThat(flavors.get(0).mismatch()).isNull();
        assertThat(flavors.get(1))
                .isEqualTo(new FlavorFinding(
                        "b",
                        false,
                        4,
                        1,
                        3,
                        0,
                        0,
                        "node labels zone=b",
                        List.of(),
                        new PreemptionFinding(false, "NOT_NEEDED")));
        story.submit(aWorkload("larger").in("q").gpus(4).onNodesWith("zone", "a"));
        assertThat(explained(story, "larger")
                        .requirements()
                        .getFirst()
                        .flavors()
                        .get(1)
                        .preemption())
                .isEqualTo(new PreemptionFinding(false, "FLAVOR_MISMATCH"));
    }

    @Test
    void what_no_node_could_hold_does_not_fit_although_quota_is_free() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        story.capacity(new UsableCapacity(
                true,
                List.of(new UsableCapacity.Node("n1", new TreeMap<>(), List.of(), new TreeMap<>(Map.of(GPU, 2L))))));
        story.submit(aWorkload("asked").in("q").gpus(3));
        FlavorFinding finding = onlyFlavor(story, "asked");
        assertThat(finding.fits()).isFalse();
        assertThat(finding.shortBy()).isZero();
    }

    // Verdicts, and who is before it

    @Test
    void who_runs_is_told_what_it_has_and_stands_in_no_line() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        story.submit(aWorkload("runs").in("q").gpus(4));
        story.submit(aWorkload("waits").in("q").gpus(4));
        Explanation explanation = explained(story, "runs");
        assertThat(explanation.verdict()).isEqualTo(Verdict.ADMIT);
        assertThat(explanation.reason()).isNull();
        assertThat(Objects.requireNonNull(explanation.assignment()).clusterQueue())
                .isEqualTo("q");
        assertThat(explanation.position()).isZero();
        assertThat(explanation.ahead()).isEmpty();
        assertThat(explanation.requirements()).isEmpty();
    }

    @Test
    void ten_of_those_before_it_are_named_the_first_first() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        story.submit(aWorkload("runs").in("q").gpus(4));
        for (int number = 0; number < 12; number++) {
            story.submit(aWorkload("w" + number).in("q").gpus(4));
        }
        assertThat(explained(story, "w0").ahead()).isEmpty();
        assertThat(explained(story, "w0").position()).isEqualTo(1);
        assertThat(explained(story, "w2").ahead()).containsExactly(story.id("w0"), story.id("w1"));
        assertThat(explained(story, "w2").position()).isEqualTo(3);
        assertThat(explained(story, "w11").ahead())
                .hasSize(10)
                .startsWith(story.id("w0"))
                .endsWith(story.id("w9"));
    }

    @Test
    void those_with_room_set_aside_stand_before_all_others() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(8).preemptsLower()));
        story.submit(aWorkload("low").in("q").gpus(8));
        story.submit(aWorkload("first").in("q").gpus(4).priority(5));
        story.submit(aWorkload("second").in("q").gpus(4).priority(5));
        story.submit(aWorkload("waits").in("q").gpus(4).priority(5));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("low");

        Explanation second = explained(story, "second");
        assertThat(second.verdict()).isEqualTo(Verdict.WAIT);
        assertThat(second.reason()).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("low"))));
        assertThat(second.assignment()).isNotNull();
        assertThat(second.position()).isEqualTo(2);
        assertThat(second.ahead()).containsExactly(story.id("first"));
        assertThat(explained(story, "waits").position()).isEqualTo(3);
        assertThat(explained(story, "waits").ahead()).containsExactly(story.id("first"), story.id("second"));
        assertThat(story.engine().pending("q", 2)).containsExactly(story.id("first"), story.id("second"));
    }

    @Test
    void what_can_never_start_is_told_so_even_of_a_queue_on_hold() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).stop(StopPolicy.HOLD)));
        story.submit(
                aWorkload("never").in("q").gpus(5), aWorkload("held").in("q").gpus(4));
        assertThat(explained(story, "never").verdict()).isEqualTo(Verdict.NEVER);
        assertThat(explained(story, "never").reason()).isEqualTo(new WaitReason.ExceedsMaximum(GPU, FLAVOR, 5, 4));
        assertThat(explained(story, "held").verdict()).isEqualTo(Verdict.WAIT);
        assertThat(explained(story, "held").reason()).isEqualTo(new WaitReason.QueueStopped("q", null));
        assertThat(explained(story, "held").assignment()).isNull();
    }

    @Test
    void who_is_asked_about_only_would_start_borrow_preempt_or_wait_for_who_leaves() {
        EngineStory story = lab(queue -> queue.gpus(4).preemptsLower());
        Explanation starts = hypothetical(story, 6, 0);
        assertThat(starts.verdict()).isEqualTo(Verdict.ADMIT);
        assertThat(Objects.requireNonNull(starts.assignment()).borrows()).isTrue();
        assertThat(Objects.requireNonNull(hypothetical(story, 4, 0).assignment())
                        .borrows())
                .isFalse();
        story.submit(
                aWorkload("low").in("own").gpus(4),
                aWorkload("theirs").in("other").gpus(8));
        Explanation preempts = hypothetical(story, 4, 9);
        assertThat(preempts.verdict()).isEqualTo(Verdict.ADMIT_BY_PREEMPTING);
        assertThat(preempts.victims())
                .containsExactly(new Decision.Victim(story.id("low"), EvictionReason.IN_CLUSTER_QUEUE, null));
        assertThat(preempts.reason()).isNull();
        assertThat(preempts.position()).isEqualTo(1);
        story.cancel("low");
        Explanation waits = hypothetical(story, 4, 0);
        assertThat(waits.verdict()).isEqualTo(Verdict.WAIT);
        assertThat(waits.reason()).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("low"))));
    }

    private static Explanation hypothetical(EngineStory story, long gpus, int priority) {
        return story.engine()
                .explain(
                        aWorkload("asked")
                                .in("own")
                                .gpus(gpus)
                                .priority(priority)
                                .createdAt(story.now())
                                .build(),
                        story.now());
    }

    @Test
    void who_is_asked_about_only_and_leads_nowhere_is_told_so() {
        EngineStory story = lab();
        Explanation nowhere = story.engine()
                .explain(
                        aWorkload("asked")
                                .in("missing")
                                .gpus(1)
                                .createdAt(story.now())
                                .build(),
                        story.now());
        assertThat(nowhere.verdict()).isEqualTo(Verdict.WAIT);
        assertThat(nowhere.reason())
                .isEqualTo(new WaitReason.QueueInactive("missing", "LocalQueue missing does not exist"));
        assertThat(nowhere.position()).isZero();
    }
}
