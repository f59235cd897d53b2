package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.Configuration;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who may pass whoever waits at the front of a queue: in a strict one, and in any after a long wait. */
@Tag("core")
class OrderKeepingTest {
    private static final String B200 = "example.com/b200";
    private static final String B300 = "example.com/b300";
    private static final Duration GUARD = Duration.ofMinutes(10);

    private static EngineStory onBothPools(AdmissionSettings settings) {
        Configuration cluster = aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("b300", B300, "16")
                                .quota("b200", B200, "40")
                                .strict())
                .build();
        EngineStory story = EngineStory.on(cluster, settings);
        story.submit(aWorkload("running").in("q").asks(B300, "16"));
        story.submit(aWorkload("j1").in("q").asks(B300, "8"));
        story.submit(aWorkload("j2").in("q").asks(B200, "8"));
        story.submit(aWorkload("j3").in("q").asks(B200, "8"));
        story.submit(aWorkload("j4").in("q").asks(B200, "2"));
        return story;
    }

    @Test
    void ff_01_a_head_that_waits_for_one_pool_holds_up_nobody_who_needs_another() {
        EngineStory story = onBothPools(AdmissionSettings.defaults());
        assertThat(story.running()).containsExactly("running", "j2", "j3", "j4");

        story.submit(aWorkload("j5").in("q").asks(B300, "1"));
        story.configure(aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("b300", B300, "20")
                                .quota("b200", B200, "40")
                                .strict()));
        assertThat(story.state("j5"))
                .as("there is room for it, but j1 is first on this pool")
                .isEqualTo(WorkloadState.PENDING);
        assertThat(story.reason("j5"))
                .isEqualTo(new WaitReason.BlockedByEarlier(
                        story.id("j1"), new WaitReason.QuotaExhausted(B300, "b300", 8, 4, 4)));
        story.finish("running");
        assertThat(story.running()).containsExactly("j1", "j2", "j3", "j4", "j5");
    }

    @Test
    void ff_01_in_parity_the_head_holds_up_everybody() {
        EngineStory story = onBothPools(AdmissionSettings.kueueParity());
        assertThat(story.running()).containsExactly("running");
        assertThat(story.reason("j4")).isInstanceOf(WaitReason.BlockedByEarlier.class);
    }

    @Test
    void ff_01_pools_may_be_flavors_of_one_resource_that_jobs_choose_by_node_label() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("b300", Map.of("gpu", "b300"))
                .flavor("b200", Map.of("gpu", "b200"))
                .queue(
                        "q",
                        queue -> queue.quota("b300", ClusterBuilder.GPU, "16")
                                .quota("b200", ClusterBuilder.GPU, "40")
                                .strict()));
        story.submit(aWorkload("running").in("q").gpus(16).onNodesWith("gpu", "b300"));
        story.submit(aWorkload("j1").in("q").gpus(8).onNodesWith("gpu", "b300"));
        story.submit(aWorkload("j2").in("q").gpus(8).onNodesWith("gpu", "b200"));
        story.submit(aWorkload("j3").in("q").gpus(4).onNodesWith("gpu", "b300"));
        assertThat(story.running()).containsExactly("running", "j2");
        story.finish("running");
        assertThat(story.running()).containsExactly("j1", "j2", "j3");
    }

    @Test
    void what_the_head_needs_besides_is_kept_for_it() {
        EngineStory story = EngineStory.on(aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("gpus", B300, "4")
                                .quota("cpus", "cpu", "10")
                                .strict()));
        story.submit(aWorkload("running").in("q").asks(B300, "4").asks("cpu", "2"));
        story.submit(aWorkload("head").in("q").asks(B300, "4").asks("cpu", "6"));
        story.submit(aWorkload("small").in("q").asks("cpu", "1"));
        story.submit(aWorkload("large").in("q").asks("cpu", "3"));
        story.submit(aWorkload("small-behind").in("q").asks("cpu", "1"));
        assertThat(story.running()).containsExactly("running", "small");
        assertThat(story.reason("large")).isInstanceOf(WaitReason.BlockedByEarlier.class);
        story.finish("running");
        assertThat(story.running()).containsExactly("head", "small", "large");
    }

    @Test
    void several_that_wait_keep_their_order_among_each_other() {
        EngineStory story = onBothPools(AdmissionSettings.defaults());
        story.submit(aWorkload("k1").in("q").asks(B200, "24"));
        story.submit(aWorkload("k2").in("q").asks(B200, "22"));
        assertThat(story.state("k1")).isEqualTo(WorkloadState.PENDING);
        assertThat(story.state("k2"))
                .as("there is room, but k1 is first on this pool")
                .isEqualTo(WorkloadState.PENDING);
        story.finish("j4");
        assertThat(story.running()).contains("k1");
        assertThat(story.state("k2")).isEqualTo(WorkloadState.PENDING);
        story.cancel("j1");
        story.finish("running");
        story.finish("j2", "j3");
        assertThat(story.state("k2")).isEqualTo(WorkloadState.PENDING);
        story.finish("k1");
        assertThat(story.running()).containsExactly("k2");
    }

    // The guard of a best-effort queue

    private static EngineStory aGangAndSmallOnes(AdmissionSettings settings) {
        EngineStory story = EngineStory.on(aCluster().queue("q", 8).build(), settings);
        for (int number = 1; number <= 3; number++) {
            story.submit(aWorkload("small" + number).in("q").gpus(2));
            story.ready("small" + number);
        }
        story.submit(aWorkload("big").in("q").gpus(8));
        return story;
    }

    @Test
    void ff_04_in_a_strict_queue_nobody_passes_the_gang() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(8).strict()));
        story.submit(aWorkload("running").in("q").gpus(6));
        story.submit(aWorkload("big").in("q").gpus(8));
        story.submit(aWorkload("small").in("q").gpus(2));
        assertThat(story.running()).containsExactly("running");
        story.finish("running");
        assertThat(story.running()).containsExactly("big");
    }

    @Test
    void ff_04_after_a_long_wait_what_gets_free_is_kept_for_a_gang_until_it_runs() {
        EngineStory story = aGangAndSmallOnes(AdmissionSettings.defaults().with(new OrderKeeping(true, GUARD)));
        Instant guarded = story.now().minusSeconds(1).plus(GUARD);
        story.submit(aWorkload("small4").in("q").gpus(2));
        assertThat(story.running()).as("best effort at first").contains("small4");
        story.finish("small4");

        assertThat(story.engine().nextTimer()).contains(guarded);
        story.at(guarded);
        story.submit(aWorkload("small5").in("q").gpus(2));
        story.finish("small1");
        story.submit(aWorkload("small6").in("q").gpus(2));
        assertThat(story.in(WorkloadState.PENDING)).containsExactly("big", "small5", "small6");
        assertThat(story.reason("small5")).isInstanceOf(WaitReason.BlockedByEarlier.class);
        story.finish("small2", "small3");
        assertThat(story.running()).containsExactly("big");
        story.finish("big");
        assertThat(story.running()).containsExactly("small5", "small6");
    }

    @Test
    void ff_04_without_the_guard_small_ones_pass_for_ever() {
        EngineStory story = aGangAndSmallOnes(AdmissionSettings.kueueParity());
        story.after(Duration.ofDays(1));
        story.submit(aWorkload("small5").in("q").gpus(2));
        assertThat(story.running()).contains("small5");
        assertThat(story.engine().nextTimer()).isEmpty();
    }

    @Test
    void what_can_never_start_is_guarded_against_nobody() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", 8).build(), AdmissionSettings.defaults().with(new OrderKeeping(true, GUARD)));
        story.submit(aWorkload("hopeless").in("q").gpus(9));
        story.after(GUARD.plusMinutes(1));
        story.submit(aWorkload("small").in("q").gpus(2));
        assertThat(story.running()).containsExactly("small");
    }

    @Test
    void an_engine_restored_meanwhile_guards_from_the_same_time() {
        EngineStory story = aGangAndSmallOnes(AdmissionSettings.defaults().with(new OrderKeeping(true, GUARD)));
        story.after(GUARD);
        Engine restored = story.engine().fork();
        assertThat(restored.decide(story.now())).isEmpty();
        story.step();
        EngineEvent small = story.queued(aWorkload("small5").in("q").gpus(2));
        restored.apply(small, story.now());
        assertThat(restored.decide(story.now())).isEmpty();
        assertThat(restored.reason(story.id("small5"))).containsInstanceOf(WaitReason.BlockedByEarlier.class);
    }
}
