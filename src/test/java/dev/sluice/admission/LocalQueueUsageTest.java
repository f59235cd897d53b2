package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is remembered of a LocalQueue's use: at what it stands, when it is written down, and when it is forgotten. */
@Tag("core")
class LocalQueueUsageTest {
    private static final AdmissionFairSharing TEN_MINUTES =
            new AdmissionFairSharing(Duration.ofMinutes(10), Duration.ofMinutes(5), new TreeMap<>());
    private static final Duration LONG = Duration.ofDays(30);

    private static ClusterBuilder cluster(String weight1, String weight2) {
        return aCluster()
                .queue("cq", queue -> queue.quota("cpu", "10").preemptsLower().goesByUsage())
                .localQueue("lq1", "cq", weight1)
                .localQueue("lq2", "cq", weight2);
    }

    private final EngineStory story = on(cluster("1", "1"));

    private static EngineStory on(ClusterBuilder cluster) {
        return EngineStory.on(cluster.build(), AdmissionSettings.defaults().with(TEN_MINUTES));
    }

    private Map<String, Double> consumed(String localQueue) {
        return story.engine().usageOf("default/" + localQueue).consumed();
    }

    private double cores(String localQueue) {
        return consumed(localQueue).getOrDefault("cpu", 0.0);
    }

    private List<String> writtenDown() {
        return story.engine().drainUsage().stream()
                .map(LocalQueueUsage::localQueue)
                .toList();
    }

    @Test
    void a_heavier_weight_is_due_more() {
        EngineStory weighted = on(cluster("2", "1"));
        weighted.submit(
                aWorkload("three").in("lq1").asks("cpu", "6"),
                aWorkload("two").in("lq2").asks("cpu", "4"));
        weighted.submit(
                aWorkload("b").in("lq2").asks("cpu", "1"),
                aWorkload("a").in("lq1").asks("cpu", "1"));

        assertThat(weighted.engine().pending("cq")).containsExactly(weighted.id("a"), weighted.id("b"));
    }

    @Test
    void queues_without_weight_are_equally_last_whatever_they_used() {
        EngineStory weightless = on(cluster("0", "0"));
        weightless.submit(aWorkload("blocker").in("lq1").asks("cpu", "10").priority(100));
        weightless.submit(
                aWorkload("used").in("lq1").asks("cpu", "1").priority(1),
                aWorkload("unused").in("lq2").asks("cpu", "1").priority(2));

        assertThat(weightless.engine().pending("cq")).containsExactly(weightless.id("unused"), weightless.id("used"));
    }

    @Test
    void pods_that_are_done_count_no_more() {
        story.submit(aWorkload("w").in("lq1").pods(4).asks("cpu", "2"));
        story.after(LONG);
        assertThat(cores("lq1")).isCloseTo(8, within(1e-6));
        story.step(new EngineEvent.PodsReclaimable(story.id("w"), new TreeMap<>(Map.of("main", 3))));
        assertThat(cores("lq1")).as("at once it used 8 still").isCloseTo(8, within(1e-6));
        story.after(LONG);
        assertThat(cores("lq1")).isCloseTo(2, within(1e-6));
        story.finish("w");
        story.after(LONG);
        assertThat(cores("lq1")).isCloseTo(0, within(1e-6));
    }

    @Test
    void use_is_not_undone_by_a_clock_that_is_behind_the_one_that_wrote_it_down() {
        LocalQueueUsage ahead = new LocalQueueUsage(
                "default/lq1", new TreeMap<>(Map.of("cpu", 4.0)), story.now().plus(Duration.ofHours(1)));
        story.step(new EngineEvent.UsageRestored(ahead));

        assertThat(consumed("lq1")).containsExactly(Map.entry("cpu", 4.0));
    }

    @Test
    void what_is_restored_last_counts() {
        Instant now = story.now();
        story.step(
                new EngineEvent.UsageRestored(
                        new LocalQueueUsage("default/lq1", new TreeMap<>(Map.of("memory", 4.0)), now)),
                new EngineEvent.UsageRestored(
                        new LocalQueueUsage("default/lq1", new TreeMap<>(Map.of("cpu", 2.0)), now)));

        assertThat(consumed("lq1")).containsOnlyKeys("cpu");
        assertThat(writtenDown())
                .as("what came from the store is there already")
                .isEmpty();
    }

    @Test
    void a_queue_that_never_used_anything_consumed_nothing() {
        assertThat(consumed("lq2")).isEmpty();
        assertThat(story.engine().usageOf("default/nobody").consumed()).isEmpty();
    }

    @Test
    void only_queues_that_go_by_usage_are_remembered() {
        EngineStory inLine =
                on(aCluster().queue("cq", queue -> queue.quota("cpu", "10")).localQueue("lq1", "cq", "1"));
        inLine.submit(aWorkload("w").in("lq1").pods(2).asks("cpu", "2"));
        inLine.step(new EngineEvent.PodsReclaimable(inLine.id("w"), new TreeMap<>(Map.of("main", 1))));
        inLine.finish("w");

        assertThat(inLine.engine().drainUsage()).isEmpty();
        assertThat(inLine.engine().usageOf("default/lq1").consumed()).isEmpty();
    }

    @Test
    void a_change_is_written_down_once() {
        story.submit(aWorkload("w").in("lq1").asks("cpu", "8"));
        assertThat(writtenDown()).containsExactly("default/lq1");
        assertThat(writtenDown()).isEmpty();
        story.finish("w");
        assertThat(writtenDown()).containsExactly("default/lq1");
    }

    @Test
    void a_new_configuration_writes_down_what_was_used_and_counts_what_runs_once() {
        story.submit(aWorkload("w").in("lq1").asks("cpu", "8"));
        story.after(Duration.ofMinutes(10));
        writtenDown();
        double before = cores("lq1");
        story.configure(cluster("1", "1").version(2));

        assertThat(story.engine().drainUsage()).singleElement().satisfies(usage -> {
            assertThat(usage.at()).isEqualTo(story.now());
            assertThat(usage.consumed().getOrDefault("cpu", 0.0)).isCloseTo(before, within(0.01));
        });
        story.after(LONG);
        assertThat(cores("lq1")).isCloseTo(8, within(1e-6));
    }

    @Test
    void a_local_queue_that_is_gone_is_remembered_while_work_of_it_runs() {
        story.submit(
                aWorkload("v").in("lq1").asks("cpu", "4"),
                aWorkload("w").in("lq1").asks("cpu", "4"));
        writtenDown();
        story.configure(cluster("1", "1").withoutLocalQueue("lq1").version(2));
        assertThat(consumed("lq1")).isNotEmpty();
        story.submit(aWorkload("high").in("lq2").asks("cpu", "8").priority(9));
        assertThat(story.running())
                .as("its workloads are victims as any others")
                .isEmpty();
        story.gone("v", "w");
        assertThat(story.running()).containsExactly("high");
        story.configure(cluster("1", "1").withoutLocalQueue("lq1").version(3));
        assertThat(consumed("lq1")).isEmpty();
        assertThat(consumed("lq2")).isNotEmpty();
    }

    @Test
    void a_new_configuration_does_not_make_an_idle_queue_forget_its_past() {
        story.submit(aWorkload("w").in("lq1").asks("cpu", "8"));
        story.finish("w");
        story.configure(cluster("1", "1").version(2));

        assertThat(consumed("lq1")).isNotEmpty();
    }

    @Test
    void the_past_of_a_queue_that_does_not_go_by_it_any_more_is_forgotten() {
        story.submit(aWorkload("w").in("lq1").asks("cpu", "8"));
        story.finish("w");
        story.configure(aCluster()
                .queue("cq", queue -> queue.quota("cpu", "10"))
                .localQueue("lq1", "cq", "1")
                .version(2));
        assertThat(consumed("lq1")).isEmpty();

        EngineStory gone = on(cluster("1", "1"));
        gone.submit(aWorkload("w").in("lq1").asks("cpu", "8"));
        gone.finish("w");
        gone.configure(aCluster().queue("other", 1).localQueue("lq1", "cq", "1").version(2));
        assertThat(gone.engine().usageOf("default/lq1").consumed()).isEmpty();
    }

    @Test
    void half_lives_of_a_part_of_a_second_are_as_exact_as_any() {
        AdmissionFairSharing fast =
                new AdmissionFairSharing(Duration.ofMillis(1500), Duration.ofMillis(500), new TreeMap<>());

        assertThat(fast.alpha(Duration.ofMillis(1500))).isEqualTo(0.5);
        assertThat(fast.alpha(Duration.ofSeconds(3))).isEqualTo(0.75);
        assertThat(fast.alpha(Duration.ZERO)).isZero();
    }

    @Test
    void settings_that_make_no_sense_are_refused_one_by_one() {
        Duration minute = Duration.ofMinutes(1);
        for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
            assertThatThrownBy(() -> new AdmissionFairSharing(minute, none, new TreeMap<>()))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> new AdmissionFairSharing(none, minute, new TreeMap<>()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        for (double weight : new double[] {-0.5, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> new AdmissionFairSharing(minute, minute, new TreeMap<>(Map.of("cpu", weight))))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(new AdmissionFairSharing(minute, minute, new TreeMap<>(Map.of("cpu", 0.0))).weight("cpu"))
                .isZero();
    }
}
