package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.StopPolicy;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is written down of whom stays right when amounts are too large to add, pods come back, and configurations change. */
@Tag("core")
class BooksTest {
    private static final long MOST = 9_000_000_000_000_000_000L;

    /** Two that run ask together for more than can be counted; of the other resource one is on its way out, and one waits. */
    private static EngineStory beyondCounting(AdmissionSettings settings) {
        EngineStory story = EngineStory.on(
                aCluster()
                        .queue(
                                "q",
                                queue -> queue.quota("endless", GPU, Long.toString(Long.MAX_VALUE))
                                        .quota("cpus", "cpu", "4")
                                        .preemptsLower())
                        .build(),
                settings);
        story.submit(
                aWorkload("large1").in("q").gpus(MOST).priority(9),
                aWorkload("large2").in("q").gpus(MOST).priority(9),
                aWorkload("low").in("q").asks("cpu", "4"));
        story.submit(aWorkload("high").in("q").asks("cpu", "3").priority(5));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("low");
        return story;
    }

    @Test
    void amounts_that_were_too_large_to_add_are_counted_anew_when_one_of_them_goes() {
        EngineStory story = beyondCounting(AdmissionSettings.defaults());
        story.finish("large1");
        assertThat(story.line("q", "endless", GPU).used()).isEqualTo(MOST);
        assertThat(story.line("q", "cpus", "cpu").used())
                .as("what is set aside for high, and nothing of low, which goes")
                .isEqualTo(3000);
        assertThat(story.engine().ledgerDrift()).isEmpty();
        story.submit(aWorkload("next").in("q").asks("cpu", "1").priority(5));
        assertThat(story.reason("next")).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("low"))));
        story.gone("low");
        assertThat(story.running()).containsExactly("large2", "high", "next");
        assertThat(story.line("q", "cpus", "cpu").used()).isEqualTo(4000);
    }

    @Test
    void in_parity_who_is_on_its_way_out_is_counted_too() {
        EngineStory story = beyondCounting(AdmissionSettings.kueueParity());
        story.finish("large1");
        assertThat(story.line("q", "endless", GPU).used()).isEqualTo(MOST);
        assertThat(story.line("q", "cpus", "cpu").used()).isEqualTo(4000);
        story.gone("low");
        assertThat(story.running()).containsExactly("large2", "high");
        assertThat(story.line("q", "cpus", "cpu").used()).isEqualTo(3000);
    }

    @Test
    void a_total_that_is_not_the_sum_of_its_parts_is_told() {
        EngineStory story = EngineStory.on(aCluster().queue("other", 4).queue("q", 4));
        story.submit(aWorkload("runs").in("q").gpus(3));
        assertThat(story.engine().ledgerDrift()).isEmpty();
        Roster roster = story.engine().roster();
        roster.held().charge(roster.world().tree().queue("q"), 0, 1);
        assertThat(story.engine().ledgerDrift()).containsExactly(new LedgerDrift("q", FLAVOR, GPU, 4, 3));
    }

    @Test
    void an_earmark_ends_when_pods_that_were_done_run_again_and_nothing_more_gets_free() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(8).preemptsLower()));
        story.submit(aWorkload("shrinks").in("q").gpus(1).pods(4).priority(9));
        story.step(new EngineEvent.PodsReclaimable(story.id("shrinks"), new TreeMap<>(Map.of("main", 3))));
        story.submit(aWorkload("low").in("q").gpus(7));
        story.submit(aWorkload("high").in("q").gpus(7).priority(5));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("low");
        story.step(new EngineEvent.PodsReclaimable(story.id("shrinks"), new TreeMap<>()));
        assertThat(story.status("high").orElseThrow().assignment()).isNotNull();
        List<Decision> decided = story.gone("low");
        assertThat(decided).contains(new Decision.DropEarmark(story.id("high"), "what runs needs more than its quota"));
        assertThat(story.reason("high")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 7, 4, 3));
        assertThat(story.running()).as("nor is there room for low again").containsExactly("shrinks");
    }

    @Test
    void who_uses_more_as_time_goes_by_loses_its_turn_to_who_used_much_before() {
        AdmissionFairSharing quickly =
                new AdmissionFairSharing(Duration.ofMinutes(10), Duration.ofMinutes(5), new TreeMap<>());
        EngineStory story = EngineStory.on(
                aCluster()
                        .queue("q", queue -> queue.gpus(4).goesByUsage())
                        .localQueue("before", "q", "1")
                        .localQueue("now", "q", "1")
                        .build(),
                AdmissionSettings.defaults().with(quickly).with(OrderKeeping.KUEUE));
        story.submit(aWorkload("used").in("before").gpus(4));
        story.after(Duration.ofMinutes(20));
        story.finish("used");
        story.submit(aWorkload("runs").in("now").gpus(4));
        story.submit(
                aWorkload("of-before").in("before").gpus(4),
                aWorkload("of-now").in("now").gpus(4));
        assertThat(story.engine().pending("q")).containsExactly(story.id("of-now"), story.id("of-before"));
        story.after(Duration.ofHours(1));
        assertThat(story.engine().pending("q")).containsExactly(story.id("of-before"), story.id("of-now"));
        story.finish("runs");
        assertThat(story.running()).containsExactly("of-before");
    }

    // A new configuration

    private static ClusterBuilder twoTrees(long first, long second) {
        return aCluster()
                .cohort("a", a -> a.queue("first", queue -> queue.gpus(first).preemptsLower()))
                .cohort("b", b -> b.queue("second", queue -> queue.gpus(second).preemptsLower()));
    }

    @Test
    void where_quota_moved_earmarks_are_decided_anew_and_elsewhere_they_stand() {
        EngineStory story = EngineStory.on(twoTrees(4, 4));
        for (String queue : List.of("first", "second")) {
            story.submit(aWorkload("low-" + queue).in(queue).gpus(4));
            story.submit(aWorkload("high-" + queue).in(queue).gpus(4).priority(9));
        }
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("low-first", "low-second");
        List<Decision> decided = story.configure(twoTrees(8, 4).version(2));
        assertThat(decided).contains(new Decision.DropEarmark(story.id("high-first"), "quota changed"));
        assertThat(decided).doesNotContain(new Decision.DropEarmark(story.id("high-second"), "quota changed"));
        assertThat(story.running()).as("it need not wait any more").containsExactly("high-first");
        story.gone("low-second");
        assertThat(story.running()).containsExactly("high-first", "high-second");
    }

    @Test
    void an_earmark_of_a_queue_that_is_stopped_ends() {
        for (StopPolicy policy : List.of(StopPolicy.HOLD, StopPolicy.HOLD_AND_DRAIN)) {
            EngineStory story = EngineStory.on(twoTrees(4, 4));
            story.submit(aWorkload("low").in("first").gpus(4));
            story.submit(aWorkload("high").in("first").gpus(4).priority(9));
            story.configure(twoTrees(4, 4).localQueue("first", "first", policy).version(2));
            assertThat(story.decisions())
                    .contains(new Decision.DropEarmark(story.id("high"), "its queue admits nothing"));
            story.gone("low");
            assertThat(story.running()).isEmpty();
            assertThat(story.reason("high")).isEqualTo(new WaitReason.QueueStopped("first", "first"));
        }
    }

    @Test
    void who_runs_in_a_queue_that_drains_is_evicted_in_the_order_of_names() {
        EngineStory story = EngineStory.on(twoTrees(4, 4));
        story.submit(
                aWorkload("d").in("first").gpus(1),
                aWorkload("a").in("first").gpus(1),
                aWorkload("c").in("first").gpus(1),
                aWorkload("b").in("second").gpus(1));
        List<Decision> decided = story.configure(twoTrees(4, 4)
                .localQueue("first", "first", StopPolicy.HOLD_AND_DRAIN)
                .version(2));
        assertThat(decided)
                .containsExactly(
                        new Decision.Evict(story.id("a"), EvictionReason.LOCAL_QUEUE_STOPPED),
                        new Decision.Evict(story.id("c"), EvictionReason.LOCAL_QUEUE_STOPPED),
                        new Decision.Evict(story.id("d"), EvictionReason.LOCAL_QUEUE_STOPPED));
    }

    // When it is due without an event

    private static AdmissionSettings guarding() {
        return AdmissionSettings.defaults()
                .with(new OrderKeeping(true, Duration.ofMinutes(10)))
                .with(StartRetries.KUEUE);
    }

    @Test
    void the_front_of_a_strict_queue_needs_no_guard() {
        EngineStory story = EngineStory.on(
                aCluster().queue("strict", queue -> queue.gpus(4).strict()).build(), guarding());
        story.submit(aWorkload("runs").in("strict").gpus(4));
        story.submit(aWorkload("head").in("strict").gpus(4));
        assertThat(story.engine().nextTimer()).isEmpty();
    }

    @Test
    void fronts_of_one_instant_are_guarded_from_the_same_time_each() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .cohort(
                                "lab",
                                lab -> lab.queue("a", queue -> queue.gpus(4).borrowAtMost(0))
                                        .queue("b", queue -> queue.gpus(4).borrowAtMost(0)))
                        .build(),
                guarding());
        story.submit(
                aWorkload("runs-a").in("a").gpus(3), aWorkload("runs-b").in("b").gpus(3));
        story.submit(
                aWorkload("gang-a").in("a").gpus(4), aWorkload("gang-b").in("b").gpus(4));
        story.after(Duration.ofMinutes(10));
        assertThat(story.engine().nextTimer()).isEmpty();
        story.submit(
                aWorkload("small-a").in("a").gpus(1),
                aWorkload("small-b").in("b").gpus(1));
        assertThat(story.running()).containsExactly("runs-a", "runs-b");
        story.cancel("gang-a");
        assertThat(story.running()).containsExactly("runs-a", "runs-b", "small-a");
        story.cancel("gang-b");
        assertThat(story.running()).containsExactly("runs-a", "runs-b", "small-a", "small-b");
    }

    @Test
    void when_the_front_changes_the_next_is_guarded_from_its_own_time() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4).build(), guarding());
        story.submit(aWorkload("runs").in("q").gpus(3));
        story.submit(aWorkload("first").in("q").gpus(4));
        story.after(Duration.ofMinutes(5));
        story.submit(aWorkload("second").in("q").gpus(3));
        assertThat(story.engine().nextTimer())
                .contains(story.status("first").orElseThrow().queuedAt().plus(Duration.ofMinutes(10)));
        story.cancel("first");
        story.after(Duration.ofMinutes(5));
        assertThat(story.engine().nextTimer())
                .contains(story.status("second").orElseThrow().queuedAt().plus(Duration.ofMinutes(10)));
        story.cancel("second");
        story.after(Duration.ofMinutes(5));
        assertThat(story.engine().nextTimer()).isEmpty();
    }
}
