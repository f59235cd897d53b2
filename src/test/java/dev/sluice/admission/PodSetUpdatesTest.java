package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.CheckStatus.State;
import dev.sluice.quota.Toleration;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.WorkloadBuilder;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSetUpdate;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What admission checks add to the pods, and what becomes of a workload whose checks contradict what is there, or each other. */
@Tag("core")
class PodSetUpdatesTest {
    private static final Toleration SPOT = new Toleration("spot", "Exists", "", "NoSchedule");
    private static final Toleration DEDICATED = new Toleration("dedicated", "Equal", "gpu", "NoSchedule");

    private static EngineStory reserved(WorkloadBuilder workload) {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("h100", Map.of("pool", "h"))
                .admissionCheck("budget")
                .admissionCheck("nodes")
                .queue(
                        "q",
                        queue -> queue.quota("h100", ClusterBuilder.GPU, "8").checks("budget", "nodes")));
        story.submit(workload);
        assertThat(story.in(WorkloadState.RESERVED)).hasSize(1);
        return story;
    }

    private static EngineStory reserved() {
        return reserved(aWorkload("w").in("q").gpus(4));
    }

    private static List<Decision> ready(EngineStory story, String check, PodSetUpdate... updates) {
        return story.step(new EngineEvent.CheckChanged(story.id("w"), check, State.READY, "", null, List.of(updates)));
    }

    private static PodSetUpdate labelled(String podSet, String key, String value) {
        return new PodSetUpdate(podSet, map(key, value), map(), map(), List.of());
    }

    private static PodSetUpdate onNodesWith(String key, String value) {
        return new PodSetUpdate("main", map(), map(), map(key, value), List.of());
    }

    private static SortedMap<String, String> map(String... keyAndValue) {
        return keyAndValue.length == 0 ? new TreeMap<>() : new TreeMap<>(Map.of(keyAndValue[0], keyAndValue[1]));
    }

    private static PodSetUpdate together(EngineStory story, String podSet) {
        return PodSetUpdates.of(
                podSet, story.status("w").orElseThrow().particulars().checks());
    }

    @Test
    void what_all_checks_add_is_put_together_and_what_two_agree_on_is_no_contradiction() {
        EngineStory story = reserved();
        ready(
                story,
                "budget",
                new PodSetUpdate("main", map("tier", "gold"), map("paid-by", "us"), map("pool", "h"), List.of(SPOT)));
        ready(
                story,
                "nodes",
                new PodSetUpdate("main", map("tier", "gold"), map(), map("zone", "a"), List.of(SPOT, DEDICATED)));

        assertThat(story.state("w")).isEqualTo(WorkloadState.ADMITTED);
        assertThat(together(story, "main"))
                .isEqualTo(new PodSetUpdate(
                        "main",
                        map("tier", "gold"),
                        map("paid-by", "us"),
                        new TreeMap<>(Map.of("pool", "h", "zone", "a")),
                        List.of(SPOT, DEDICATED)));
    }

    @Test
    void each_pod_set_gets_its_own() {
        EngineStory story =
                reserved(aWorkload("w").in("q").gpus(4).with(PodSet.of("driver", 1, Map.of(ClusterBuilder.GPU, 1L))));
        ready(story, "budget", labelled("main", "tier", "gold"));
        ready(story, "nodes", labelled("driver", "tier", "spot"));
        assertThat(story.state("w")).isEqualTo(WorkloadState.ADMITTED);
        assertThat(together(story, "main").labels()).isEqualTo(Map.of("tier", "gold"));
        assertThat(together(story, "driver").labels()).isEqualTo(Map.of("tier", "spot"));
    }

    @Test
    void two_checks_that_contradict_each_other_give_the_quota_back_and_all_begin_anew_later() {
        EngineStory story = reserved();
        ready(story, "budget", labelled("main", "tier", "gold"));
        List<Decision> decided = ready(story, "nodes", labelled("main", "tier", "spot"));
        Instant told = story.now();

        String why = "label tier=spot on pod set main, and admission check budget wants gold";
        assertThat(decided)
                .containsExactly(
                        new Decision.Unreserve(story.id("w"), EvictionReason.ADMISSION_CHECK, WorkloadState.PENDING));
        assertThat(story.line("q", "h100", ClusterBuilder.GPU).used()).isZero();
        assertThat(story.reason("w"))
                .isEqualTo(new WaitReason.BackingOff(told.plusSeconds(60), 1, "admission check nodes wants " + why));
        assertThat(story.status("w").orElseThrow().particulars().checks())
                .isEqualTo(Map.of(
                        "budget", new CheckStatus(State.PENDING, "", 0),
                        "nodes", new CheckStatus(State.PENDING, "it wants " + why, 1)));

        story.at(told.plusSeconds(60));
        assertThat(story.state("w")).isEqualTo(WorkloadState.RESERVED);
        ready(story, "nodes", labelled("main", "tier", "spot"));
        ready(story, "budget", labelled("main", "tier", "gold"));
        assertThat(story.engine().nextTimer())
                .as("longer each time")
                .contains(story.now().plusSeconds(120));
        story.after(Duration.ofMinutes(2));
        ready(story, "budget", labelled("main", "tier", "gold"));
        ready(story, "nodes");
        assertThat(story.state("w")).isEqualTo(WorkloadState.ADMITTED);
    }

    @Test
    void annotations_are_told_apart_from_labels() {
        EngineStory story = reserved();
        ready(story, "budget", labelled("main", "tier", "gold"));
        ready(story, "nodes", new PodSetUpdate("main", map(), map("tier", "spot"), map(), List.of()));
        assertThat(story.state("w")).isEqualTo(WorkloadState.ADMITTED);
    }

    @Test
    void nodes_that_the_flavor_does_not_have_are_a_contradiction() {
        EngineStory story = reserved();
        ready(story, "budget");
        ready(story, "nodes", onNodesWith("pool", "a"));
        assertThat(((WaitReason.BackingOff) story.reason("w")).why())
                .isEqualTo("admission check nodes wants node selector pool=a on pod set main, and flavor h100 has h");
    }

    @Test
    void nodes_other_than_the_pods_ask_for_are_a_contradiction() {
        EngineStory story = reserved(aWorkload("w").in("q").gpus(4).onNodesWith("zone", "a"));
        ready(story, "nodes");
        ready(story, "budget", onNodesWith("zone", "b"));
        assertThat(((WaitReason.BackingOff) story.reason("w")).why())
                .isEqualTo("admission check budget wants node selector zone=b on pod set main, and the pods themselves"
                        + " have a");
    }

    @Test
    void said_again_before_the_others_are_ready_the_last_word_counts() {
        EngineStory story = reserved();
        ready(story, "budget", labelled("main", "tier", "gold"));
        ready(story, "budget", labelled("main", "tier", "spot"));
        ready(story, "nodes", labelled("main", "tier", "spot"));
        assertThat(story.state("w")).isEqualTo(WorkloadState.ADMITTED);
    }

    @Test
    void of_one_that_was_let_go_nothing_is_added_any_more_and_what_was_stays_for_the_time_that_it_holds_quota() {
        EngineStory story = reserved();
        ready(story, "budget", labelled("main", "tier", "gold"));
        ready(story, "nodes");
        story.ready("w");
        ready(story, "budget", labelled("main", "tier", "spot"));
        assertThat(together(story, "main").labels()).isEqualTo(Map.of("tier", "gold"));

        story.step(new EngineEvent.CheckChanged(story.id("w"), "nodes", State.RETRY, "", null));
        story.gone("w");
        assertThat(together(story, "main").labels()).as("asked for anew").isEmpty();
    }

    @Test
    void a_restored_engine_knows_what_the_checks_said_before() {
        EngineStory story = reserved();
        ready(story, "budget", labelled("main", "tier", "gold"));
        Engine restored = story.engine().fork();
        EngineEvent.CheckChanged spot = new EngineEvent.CheckChanged(
                story.id("w"), "nodes", State.READY, "", null, List.of(labelled("main", "tier", "spot")));
        restored.apply(spot, story.now().plusSeconds(1));
        assertThat(restored.decide(story.now().plusSeconds(1)))
                .isEqualTo(story.step(spot))
                .hasSize(1)
                .first()
                .isInstanceOf(Decision.Unreserve.class);
    }
}
