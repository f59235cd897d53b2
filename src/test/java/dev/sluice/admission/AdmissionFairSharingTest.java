package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** LocalQueues of one ClusterQueue that take turns by what they used of late. */
@Tag("core")
class AdmissionFairSharingTest {
    private static final AdmissionFairSharing TEN_MINUTES =
            new AdmissionFairSharing(Duration.ofMinutes(10), Duration.ofMinutes(5), new TreeMap<>());

    private static ClusterBuilder twoLocalQueues(String weight1, String weight2) {
        return aCluster()
                .queue("cq", queue -> queue.quota("cpu", "10").goesByUsage())
                .localQueue("lq1", "cq", weight1)
                .localQueue("lq2", "cq", weight2);
    }

    private static EngineStory on(ClusterBuilder cluster) {
        return EngineStory.on(cluster.build(), AdmissionSettings.defaults().with(TEN_MINUTES));
    }

    private static double cores(EngineStory story, String localQueue) {
        return story.engine().usageOf("default/" + localQueue).consumed().getOrDefault("cpu", 0.0);
    }

    @Test
    void what_runs_counts_in_by_half_per_half_life_and_an_admission_at_once() {
        EngineStory story = on(twoLocalQueues("1", "1"));
        story.submit(aWorkload("w").in("lq1").asks("cpu", "8"));
        assertThat(cores(story, "lq1")).isCloseTo(2.343, within(0.001));

        story.after(Duration.ofMinutes(10));
        assertThat(cores(story, "lq1")).isCloseTo(2.343 / 2 + 4, within(0.001));

        story.finish("w");
        story.after(Duration.ofMinutes(20));
        assertThat(cores(story, "lq1")).isCloseTo((2.343 / 2 + 4) / 4, within(0.01));
    }

    @Test
    void sampling_more_often_comes_to_the_same() {
        double alpha = TEN_MINUTES.alpha(Duration.ofMinutes(5));
        List<Double> samples = new ArrayList<>();
        double consumed = 0;
        for (int sample = 0; sample < 3; sample++) {
            consumed = consumed * (1 - alpha) + 10 * alpha;
            samples.add(consumed);
        }
        assertThat(samples.get(0)).isCloseTo(2.93, within(0.01));
        assertThat(samples.get(1)).isCloseTo(5.0, within(0.01));
        assertThat(samples.get(2))
                .isCloseTo(6.46, within(0.01))
                .isCloseTo(10 * TEN_MINUTES.alpha(Duration.ofMinutes(15)), within(1e-9));
    }

    @Test
    void who_used_less_of_late_comes_first_whatever_the_priority() {
        EngineStory story = on(twoLocalQueues("1", "1"));
        story.submit(aWorkload("used").in("lq1").asks("cpu", "10"));
        story.submit(
                aWorkload("high").in("lq1").asks("cpu", "10").priority(100),
                aWorkload("low").in("lq2").asks("cpu", "10"));
        assertThat(story.engine().pending("cq")).containsExactly(story.id("low"), story.id("high"));
        assertThat(story.engine().position(story.id("high"))).isEqualTo(2);
        story.finish("used");

        assertThat(story.running()).containsExactly("low");
    }

    @Test
    void queues_take_turns_within_one_instant() {
        EngineStory story = on(twoLocalQueues("1", "1"));
        story.submit(aWorkload("blocker").in("lq2").asks("cpu", "10"));
        story.finish("blocker");
        story.after(Duration.ofDays(30));
        story.submit(
                aWorkload("a1").in("lq1").asks("cpu", "3"),
                aWorkload("a2").in("lq1").asks("cpu", "3"),
                aWorkload("a3").in("lq1").asks("cpu", "3"),
                aWorkload("b1").in("lq2").asks("cpu", "3"));

        assertThat(story.running()).hasSize(3).contains("b1", "a1");
    }

    @Test
    void the_order_turns_when_past_use_has_decayed() {
        EngineStory story = on(twoLocalQueues("1", "1"));
        story.submit(aWorkload("past").in("lq1").asks("cpu", "10"));
        story.after(Duration.ofMinutes(10));
        story.finish("past");
        story.submit(aWorkload("now").in("lq2").asks("cpu", "10"));
        story.submit(
                aWorkload("first").in("lq1").asks("cpu", "10"),
                aWorkload("second").in("lq2").asks("cpu", "10"));
        assertThat(story.engine().pending("cq")).containsExactly(story.id("second"), story.id("first"));

        story.after(Duration.ofMinutes(30));
        assertThat(story.engine().pending("cq")).containsExactly(story.id("first"), story.id("second"));
    }

    @Test
    void fs_04_weight_zero_is_always_last_and_nothing_oscillates() {
        EngineStory story = on(twoLocalQueues("0", "1"));
        for (int round = 0; round < 5; round++) {
            story.submit(aWorkload("running" + round).in("lq2").asks("cpu", "10"));
            story.submit(
                    aWorkload("zero" + round).in("lq1").asks("cpu", "10"),
                    aWorkload("one" + round).in("lq2").asks("cpu", "10"));
            story.finish("running" + round);
            assertThat(story.state("one" + round)).isEqualTo(WorkloadState.ADMITTED);
            assertThat(story.state("zero" + round)).isEqualTo(WorkloadState.PENDING);
            story.cancel("zero" + round);
            story.finish("one" + round);
        }
        story.submit(aWorkload("alone").in("lq1").asks("cpu", "10"));
        assertThat(story.running()).as("it is last, not never").containsExactly("alone");
    }

    @Test
    void fs_11_a_restored_engine_goes_on_with_the_usage_that_was_stored() {
        EngineStory story = on(twoLocalQueues("1", "1"));
        Map<String, LocalQueueUsage> store = new TreeMap<>();
        story.submit(aWorkload("big").in("lq1").asks("cpu", "8"));
        story.submit(aWorkload("small").in("lq2").asks("cpu", "1"));
        story.after(Duration.ofMinutes(7));
        story.engine().drainUsage().forEach(usage -> store.put(usage.localQueue(), usage));

        Engine engine = story.engine();
        Instant at = story.now();
        for (int restart = 0; restart < 3; restart++) {
            Engine before = engine;
            Engine restored = new Engine(AdmissionSettings.defaults().with(TEN_MINUTES));
            restored.apply(new EngineEvent.ConfigurationReplaced(before.configuration()), at);
            store.values().forEach(usage -> restored.apply(new EngineEvent.UsageRestored(usage), story.now()));
            for (String name : List.of("big", "small")) {
                restored.apply(
                        new EngineEvent.WorkloadRestored(
                                before.workload(story.id(name)).orElseThrow(),
                                before.status(story.id(name)).orElseThrow()),
                        at);
            }
            restored.apply(new EngineEvent.EngineRestarted(before.settings()), at);
            assertThat(restored.decide(at)).isEmpty();
            assertThat(restored.drainUsage())
                    .as("a restart writes nothing down")
                    .isEmpty();
            for (String localQueue : List.of("default/lq1", "default/lq2")) {
                assertThat(restored.usageOf(localQueue)).isEqualTo(before.usageOf(localQueue));
            }
            engine = restored;
        }
    }

    @Test
    void a_fork_knows_what_was_used() {
        EngineStory story = on(twoLocalQueues("1", "1"));
        story.submit(aWorkload("w").in("lq1").asks("cpu", "8"));
        story.after(Duration.ofMinutes(3));

        assertThat(story.engine().fork().usageOf("default/lq1"))
                .isEqualTo(story.engine().usageOf("default/lq1"));
    }

    @Test
    void usage_is_forgotten_with_the_local_queue() {
        EngineStory story = on(twoLocalQueues("1", "1"));
        story.submit(aWorkload("w").in("lq1").asks("cpu", "8"));
        story.finish("w");
        story.engine().drainUsage();
        story.configure(twoLocalQueues("1", "1").withoutLocalQueue("lq1").version(2));

        assertThat(story.engine().drainUsage())
                .filteredOn(usage -> usage.localQueue().equals("default/lq1"))
                .singleElement()
                .satisfies(usage -> assertThat(usage.consumed()).isEmpty());
    }

    @Test
    void resources_count_by_their_weights() {
        AdmissionFairSharing weighted = new AdmissionFairSharing(
                Duration.ofMinutes(10), Duration.ofMinutes(5), new TreeMap<>(Map.of("memory", 0.0)));
        ClusterBuilder cluster = aCluster()
                .queue(
                        "cq",
                        queue ->
                                queue.quota("cpu", "10").quota("memory", "10Gi").goesByUsage())
                .localQueue("lq1", "cq", "1")
                .localQueue("lq2", "cq", "1");
        EngineStory story =
                EngineStory.on(cluster.build(), AdmissionSettings.defaults().with(weighted));
        story.submit(
                aWorkload("bytes").in("lq1").asks("memory", "8Gi").asks("cpu", "1"),
                aWorkload("cores").in("lq2").asks("memory", "1Gi").asks("cpu", "2"));
        story.submit(
                aWorkload("b").in("lq2").asks("cpu", "9").asks("memory", "1Gi"),
                aWorkload("a").in("lq1").asks("cpu", "9").asks("memory", "1Gi"));

        assertThat(story.engine().pending("cq")).containsExactly(story.id("a"), story.id("b"));
    }

    @Test
    void settings_that_make_no_sense_are_refused() {
        assertThatThrownBy(() -> new AdmissionFairSharing(Duration.ZERO, Duration.ofMinutes(5), new TreeMap<>()))
                .hasMessageContaining("half-life");
        assertThatThrownBy(() -> new AdmissionFairSharing(
                        Duration.ofMinutes(5), Duration.ofMinutes(5), new TreeMap<>(Map.of("cpu", -1.0))))
                .hasMessageContaining("weight of cpu");
    }
}
