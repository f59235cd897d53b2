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
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadState;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of a place that is set aside when the world changes before its victims are gone. */
@Tag("core")
class EarmarkSituationsTest {
    private static ClusterBuilder one() {
        return aCluster().queue("q", queue -> queue.gpus(4).preemptsLower());
    }

    /** {@code lo} leaves for {@code hi}, which stands in a LocalQueue of its own. */
    private static EngineStory aPlaceSetAside(ClusterBuilder cluster) {
        EngineStory story = EngineStory.on(cluster);
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("hi").in("door").gpus(4).priority(9));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
        return story;
    }

    @Test
    void a_local_queue_that_is_deleted_lets_its_preemptor_start_no_more() {
        EngineStory story = aPlaceSetAside(one().localQueue("door", "q", StopPolicy.NONE));
        story.configure(one());
        story.settle();
        assertThat(story.running()).containsExactly("lo");
        assertThat(story.reason("hi"))
                .isEqualTo(new WaitReason.QueueInactive("door", "LocalQueue door does not exist"));
    }

    @Test
    void a_local_queue_that_leads_elsewhere_takes_its_preemptor_along() {
        EngineStory story = aPlaceSetAside(one().queue("other", 4).localQueue("door", "q", StopPolicy.NONE));
        story.configure(one().queue("other", 4).localQueue("door", "other", StopPolicy.NONE));
        story.settle();
        assertThat(story.running()).containsExactly("lo", "hi");
        assertThat(story.gpus("other")).isEqualTo(4);
    }

    @Test
    void a_local_queue_put_on_hold_gives_the_place_back() {
        EngineStory story = aPlaceSetAside(one().localQueue("door", "q", StopPolicy.NONE));
        story.configure(one().localQueue("door", "q", StopPolicy.HOLD));
        story.settle();
        assertThat(story.running()).containsExactly("lo");
    }

    private static UsableCapacity nodeOf(long gpus) {
        return new UsableCapacity(
                true,
                List.of(new UsableCapacity.Node("n1", new TreeMap<>(), List.of(), new TreeMap<>(Map.of(GPU, gpus)))));
    }

    @Test
    void a_place_on_devices_that_are_lost_meanwhile_is_given_back() {
        EngineStory story = EngineStory.on(one());
        story.capacity(nodeOf(4));
        story.submit(aWorkload("lo").in("q").pods(2).gpus(2));
        story.submit(aWorkload("hi").in("q").gpus(4).priority(9));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
        story.capacity(nodeOf(3));
        story.settle();
        assertThat(story.state("hi")).isEqualTo(WorkloadState.PENDING);
        assertThat(story.reason("hi")).isInstanceOf(WaitReason.NotPlaceable.class);
    }

    @Test
    void a_place_for_two_kinds_of_pods_is_given_back_when_the_devices_do_not_hold_both_any_more() {
        EngineStory story = EngineStory.on(one());
        story.capacity(nodeOf(4));
        story.submit(aWorkload("lo").in("q").pods(2).gpus(2));
        story.submit(aWorkload("hi").in("q").gpus(2).priority(9).with(PodSet.of("extra", 1, Map.of(GPU, 2L))));
        story.capacity(nodeOf(3));
        story.settle();
        assertThat(story.running()).isEmpty();
        assertThat(story.reason("hi")).isEqualTo(new WaitReason.NotPlaceable(GPU, ClusterBuilder.FLAVOR, 4, 3));
    }

    @Test
    void a_namespace_that_may_not_submit_any_more_gives_the_place_back() {
        NamespaceSelector research = new NamespaceSelector(new TreeMap<>(Map.of("team", "research")), List.of());
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.gpus(4).preemptsLower().namespaces(research)));
        story.namespaces(Map.of("default", Map.of("team", "research")));
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("hi").in("q").gpus(4).priority(9));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
        story.namespaces(Map.of("default", Map.of("team", "sales")));
        story.settle();
        assertThat(story.running()).isEmpty();
        assertThat(story.reason("hi")).isInstanceOf(WaitReason.NamespaceNotAllowed.class);
    }

    @Test
    void a_flavor_that_is_tainted_meanwhile_is_no_place_for_one_that_does_not_tolerate_it() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("f", Map.of("pool", "f"))
                .queue("q", queue -> queue.quota("f", GPU, "4").preemptsLower()));
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("hi").in("q").gpus(4).priority(9));
        story.configure(aCluster()
                .flavor("f", Map.of("pool", "f"), new Taint("spot", "true", "NoSchedule"))
                .queue("q", queue -> queue.quota("f", GPU, "4").preemptsLower()));
        story.settle();
        assertThat(story.running()).isEmpty();
        assertThat(story.reason("hi")).isInstanceOf(WaitReason.NoMatchingFlavor.class);
    }

    private static ClusterBuilder lab(String cohortOfBorrower, long owner) {
        ClusterBuilder cluster = aCluster();
        cluster.cohort("lab", lab -> {
            lab.queue("owner", queue -> queue.gpus(owner).reclaimsAny());
            if (cohortOfBorrower.equals("lab")) {
                lab.queue("borrower", 1);
            }
        });
        if (!cohortOfBorrower.equals("lab")) {
            cluster.cohort(cohortOfBorrower, other -> other.queue("borrower", 1).queue("rich", 8));
        }
        return cluster;
    }

    @Test
    void a_queue_that_moves_away_while_its_work_leaves_frees_the_room_and_gets_its_work_back_elsewhere() {
        EngineStory story = EngineStory.on(lab("lab", 4));
        story.submit(aWorkload("lent").in("borrower").gpus(5));
        story.submit(aWorkload("mine").in("owner").gpus(4));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lent");
        story.configure(lab("elsewhere", 4));
        assertThat(story.running()).as("nothing of it is charged here any more").containsExactly("mine");
        story.settle();
        assertThat(story.running()).containsExactly("lent", "mine");
        assertThat(story.evictions("lent")).isEqualTo(1);
    }

    @Test
    void a_quota_cut_to_nothing_ends_the_place_and_quota_given_back_begins_it_anew() {
        EngineStory story = EngineStory.on(lab("lab", 4));
        story.submit(aWorkload("lent").in("borrower").gpus(5));
        story.submit(aWorkload("mine").in("owner").gpus(4));
        story.configure(lab("lab", 0));
        assertThat(story.reason("mine").isNever()).isTrue();
        story.settle();
        assertThat(story.running()).isEmpty();
        story.configure(lab("lab", 4));
        story.settle();
        assertThat(story.running()).containsExactly("mine");
    }

    @Test
    void a_larger_request_is_looked_at_anew_and_keeps_no_place_that_is_too_small() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(6).preemptsLower()));
        story.submit(aWorkload("lo").in("q").gpus(4).priority(1));
        story.submit(aWorkload("mid").in("q").gpus(2).priority(2));
        story.submit(aWorkload("hi").in("q").gpus(3).priority(9));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
        story.step(new EngineEvent.PodSetsChanged(story.id("hi"), List.of(PodSet.of("main", 1, Map.of(GPU, 6L)))));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo", "mid");
        story.settle();
        assertThat(story.running()).containsExactly("hi");
    }

    @Test
    void a_preemptor_that_is_deactivated_and_active_again_waits_like_any_other() {
        EngineStory story = aPlaceSetAside(one().localQueue("door", "q", StopPolicy.NONE));
        story.step(new EngineEvent.ActivationChanged(story.id("hi"), false));
        assertThat(story.state("hi")).isEqualTo(WorkloadState.INACTIVE);
        story.step(new EngineEvent.ActivationChanged(story.id("hi"), true));
        story.settle();
        assertThat(story.running()).containsExactly("hi");
        assertThat(story.evictions("lo")).isEqualTo(1);
    }

    @Test
    void a_victim_that_is_cancelled_or_ends_by_itself_makes_room_all_the_same() {
        EngineStory cancelled = aPlaceSetAside(one().localQueue("door", "q", StopPolicy.NONE));
        cancelled.cancel("lo");
        cancelled.settle();
        assertThat(cancelled.running()).containsExactly("hi");
        assertThat(cancelled.status("lo")).isEmpty();

        EngineStory ended = aPlaceSetAside(one().localQueue("door", "q", StopPolicy.NONE));
        ended.finish("lo");
        assertThat(ended.running()).containsExactly("hi");
    }

    @Test
    void a_weight_or_a_priority_class_that_changes_elsewhere_takes_nobodys_place() {
        EngineStory story = aPlaceSetAside(one().localQueue("door", "q", StopPolicy.NONE));
        story.submit(aWorkload("same").in("q").gpus(4).priority(9));
        story.configure(one().localQueue("door", "q", StopPolicy.NONE)
                .priorityClass("new", 5)
                .queue("another", 7));
        assertThat(story.decisions()).noneMatch(Decision.DropEarmark.class::isInstance);
        story.settle();
        assertThat(story.running()).containsExactly("hi");
    }
}
