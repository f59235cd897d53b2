package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.StopPolicy;
import dev.sluice.quota.Taint;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.PodSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Of the changes with which a workload would start the smallest is named, and none that others may not see or use. */
@Tag("core")
class SmallestChangeTest {
    private static List<Explanation.Change> changes(EngineStory story, String name) {
        return story.engine().explain(story.id(name), story.now()).orElseThrow().wouldRunIf();
    }

    private static Explanation.Change change(String what) {
        return new Explanation.Change(what, List.of());
    }

    @Test
    void as_many_pods_as_fit_are_named_of_each_pod_set() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 9));
        story.submit(aWorkload("runs").in("q").gpus(4));
        story.submit(
                aWorkload("one").in("q").gpus(1).pods(8),
                aWorkload("two").in("q").gpus(1).pods(4).with(PodSet.of("extra", 3, Map.of(GPU, 1L))),
                aWorkload("large-extra").in("q").gpus(1).pods(2).with(PodSet.of("extra", 6, Map.of(GPU, 1L))),
                aWorkload("single").in("q").gpus(6));
        assertThat(changes(story, "one")).containsExactly(change("podSets.main.count = 5"));
        assertThat(changes(story, "two"))
                .containsExactly(change("podSets.main.count = 2"), change("podSets.extra.count = 1"));
        assertThat(changes(story, "large-extra")).containsExactly(change("podSets.extra.count = 3"));
        assertThat(changes(story, "single")).isEmpty();
    }

    @Test
    void one_pod_may_be_the_most() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 5));
        story.submit(aWorkload("runs").in("q").gpus(4));
        story.submit(aWorkload("asked").in("q").gpus(1).pods(2));
        assertThat(changes(story, "asked")).containsExactly(change("podSets.main.count = 1"));
    }

    private static ClusterBuilder withClasses(ClusterBuilder cluster) {
        return cluster.priorityClass("same", 1)
                .priorityClass("b-two", 2)
                .priorityClass("a-two", 2)
                .priorityClass("zero", 0)
                .priorityClass("three", 3);
    }

    @Test
    void the_lowest_class_that_is_enough_is_named_and_whom_it_would_cost() {
        EngineStory story = EngineStory.on(
                withClasses(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower())));
        story.submit(aWorkload("runs").in("q").gpus(4).priority(1));
        story.submit(aWorkload("asked").in("q").gpus(4).priority(1));
        assertThat(changes(story, "asked"))
                .containsExactly(new Explanation.Change("priorityClass = a-two", List.of(story.id("runs"))));
    }

    @Test
    void behind_a_strict_head_only_a_class_that_goes_before_it_is_named() {
        EngineStory story = EngineStory.on(
                withClasses(aCluster().queue("q", queue -> queue.gpus(4).strict()))
                        .build(),
                AdmissionSettings.defaults());
        story.submit(aWorkload("runs").in("q").gpus(3));
        story.submit(aWorkload("head").in("q").gpus(4).priority(2));
        story.submit(aWorkload("asked").in("q").gpus(1).priority(1));
        assertThat(changes(story, "asked"))
                .as("with two it comes after the head still")
                .containsExactly(change("priorityClass = three"));
        assertThat(changes(story, "head")).as("one pod cannot be fewer").isEmpty();
    }

    @Test
    void what_the_head_of_a_strict_queue_itself_could_do_is_named() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).strict()));
        story.submit(aWorkload("runs").in("q").gpus(3));
        story.submit(aWorkload("head").in("q").gpus(1).pods(4));
        story.submit(aWorkload("behind").in("q").gpus(1).pods(4));
        assertThat(changes(story, "head")).containsExactly(change("podSets.main.count = 1"));
        assertThat(changes(story, "behind")).isEmpty();
    }

    @Test
    void who_is_put_off_for_a_time_is_told_of_no_change() {
        EngineStory story = EngineStory.on(withClasses(aCluster().queue("q", 4).queue("free", 4)));
        story.submit(aWorkload("asked").in("q").gpus(1).pods(4));
        story.step(new EngineEvent.StartRejected(story.id("asked"), "policy says no"));
        story.gone("asked");
        assertThat(story.reason("asked")).isInstanceOf(WaitReason.BackingOff.class);
        assertThat(changes(story, "asked")).isEmpty();
    }

    // Another flavor

    @Test
    void the_first_flavor_with_room_is_named_whatever_the_pods_preferred() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("a", Map.of("zone", "a"))
                .flavor("b", Map.of("zone", "b"), new Taint("spot", "yes", "NoSchedule"))
                .flavor("c", Map.of("zone", "c"))
                .queue(
                        "q",
                        queue -> queue.quota("a", GPU, "4").quota("b", GPU, "4").quota("c", GPU, "4")));
        story.submit(aWorkload("runs").in("q").gpus(4).onNodesWith("zone", "a"));
        story.submit(aWorkload("asked").in("q").gpus(3).onNodesWith("zone", "a"));
        story.submit(
                aWorkload("tolerant").in("q").gpus(3).onNodesWith("zone", "a").tolerates("spot"));
        assertThat(changes(story, "asked")).containsExactly(change("flavor = b"));
        assertThat(changes(story, "tolerant")).containsExactly(change("flavor = b"));
        story.submit(aWorkload("on-b").in("q").gpus(4).onNodesWith("zone", "b").tolerates("spot"));
        assertThat(changes(story, "asked")).containsExactly(change("flavor = c"));
    }

    @Test
    void affinity_that_speaks_against_a_flavor_goes_with_the_change() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("a", Map.of("zone", "a"))
                .flavor("b", Map.of("zone", "b"))
                .queue("q", queue -> queue.quota("a", GPU, "4").quota("b", GPU, "4")));
        story.submit(aWorkload("runs").in("q").gpus(4).onNodesWith("zone", "a"));
        PodSet.AffinityTerm onlyA =
                new PodSet.AffinityTerm(List.of(new PodSet.Requirement("zone", "In", List.of("a"))));
        story.submit(aWorkload("asked")
                .in("q")
                .pods(0)
                .with(PodSet.of("bound", 2, Map.of(GPU, 2L)).on(new TreeMap<>(), List.of(onlyA), List.of())));
        assertThat(changes(story, "asked")).containsExactly(change("flavor = b"));
    }

    private static Taint spot() {
        return new Taint("spot", "yes", "NoSchedule");
    }

    @Test
    void a_flavor_is_named_only_if_it_is_the_one_that_would_serve() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("a", Map.of("zone", "a"))
                .flavor("b", Map.of("zone", "b"), spot())
                .flavor("c", Map.of("pool", "c"), spot())
                .queue(
                        "q",
                        queue -> queue.quota("a", GPU, "4").quota("b", GPU, "4").quota("c", GPU, "4")));
        story.submit(
                aWorkload("on-a").in("q").gpus(4).onNodesWith("zone", "a"),
                aWorkload("on-b").in("q").gpus(4).onNodesWith("zone", "b").tolerates("spot"));
        story.submit(aWorkload("asked").in("q").gpus(3));
        assertThat(changes(story, "asked"))
                .as("pods that tolerate b's taint would start on c")
                .containsExactly(change("flavor = c"));
    }

    @Test
    void pods_that_tolerate_something_else_are_told_of_a_tainted_flavor_too() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("a", Map.of("zone", "a"))
                .flavor("b", Map.of("zone", "b"), spot())
                .queue("q", queue -> queue.quota("a", GPU, "4").quota("b", GPU, "4")));
        story.submit(aWorkload("runs").in("q").gpus(4).onNodesWith("zone", "a"));
        story.submit(aWorkload("asked").in("q").gpus(3).tolerates("maintenance"));
        assertThat(changes(story, "asked")).containsExactly(change("flavor = b"));
    }

    @Test
    void affinity_that_does_not_speak_against_a_flavor_stays() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("a", Map.of("zone", "a"))
                .flavor("b", Map.of("zone", "b"))
                .flavor("x", Map.of("arch", "x"))
                .flavor("y", Map.of("arch", "y"))
                .queue(
                        "q",
                        queue -> queue.quota("a", GPU, "4")
                                .quota("b", GPU, "4")
                                .quota("x", "cpu", "4")
                                .quota("y", "cpu", "4")));
        story.submit(aWorkload("runs")
                .in("q")
                .gpus(4)
                .asks("cpu", "4")
                .onNodesWith("zone", "a")
                .onNodesWith("arch", "x"));
        PodSet.AffinityTerm onlyX =
                new PodSet.AffinityTerm(List.of(new PodSet.Requirement("arch", "In", List.of("x"))));
        story.submit(aWorkload("asked")
                .in("q")
                .pods(0)
                .with(PodSet.of("bound", 1, Map.of(GPU, 2L, "cpu", 1000L))
                        .on(new TreeMap<>(Map.of("zone", "a")), List.of(onlyX), List.of())));
        assertThat(changes(story, "asked"))
                .as("on b it would still lack CPUs of x")
                .isEmpty();
    }

    // Another queue

    /** Two GPUs are free, which the head of a strict queue keeps; the trusting ones would borrow them. */
    private static EngineStory keptFromAll(int trusting) {
        EngineStory story =
                EngineStory.on(aCluster().queue("full", 2).queue("z-free", 2).cohort("lab", lab -> {
                    lab.queue(
                            "strict",
                            queue -> queue.gpus(4)
                                    .preemptsLower()
                                    .reclaimsLower()
                                    .strict());
                    for (int number = 1; number <= trusting; number++) {
                        lab.queue("other" + number, 0);
                    }
                }));
        story.submit(aWorkload("lent").in("other1").gpus(2).priority(9));
        story.submit(aWorkload("head").in("strict").gpus(4));
        story.submit(aWorkload("runs").in("full").gpus(2));
        story.submit(aWorkload("asked").in("full").gpus(2));
        return story;
    }

    @Test
    void queues_whose_room_is_kept_are_tried_three_times_at_the_most() {
        assertThat(changes(keptFromAll(2), "asked")).containsExactly(change("queue = z-free"));
        assertThat(changes(keptFromAll(3), "asked")).isEmpty();
    }

    @Test
    void a_queue_that_is_stopped_or_does_not_take_the_namespace_is_not_named() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("a-held", queue -> queue.gpus(4).stop(StopPolicy.HOLD))
                .queue(
                        "b-strangers",
                        queue -> queue.gpus(4)
                                .namespaces(new NamespaceSelector(new TreeMap<>(Map.of("team", "other")), List.of())))
                .queue("c-door-held", 4)
                .localQueue("c-door-held", "c-door-held", StopPolicy.HOLD)
                .queue("full", 4));
        story.submit(aWorkload("runs").in("full").gpus(4));
        story.submit(aWorkload("asked").in("full").gpus(4));
        assertThat(changes(story, "asked")).isEmpty();
    }

    @Test
    void another_door_to_its_own_queue_is_no_change() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("own", queue -> queue.gpus(4).stop(StopPolicy.NONE))
                .localQueue("door", "own", "1"));
        story.submit(aWorkload("runs").in("own").gpus(2));
        story.submit(aWorkload("asked").in("own").gpus(3));
        assertThat(changes(story, "asked")).isEmpty();
    }
}
