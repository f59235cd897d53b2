package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.testkit.EngineStory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In parity, work of a namespace that its queue does not take shares the fate of equal work that it takes, and is never woken. */
@Tag("core")
class ParkedStrangersTest {
    private static Configuration ofOneTeam(long gpus) {
        return aCluster()
                .queue(
                        "q",
                        queue -> queue.gpus(gpus)
                                .namespaces(new NamespaceSelector(new TreeMap<>(Map.of("team", "ours")), List.of())))
                .localQueueIn("others", "q", "q")
                .version(gpus)
                .build();
    }

    private static EngineStory full() {
        EngineStory story = EngineStory.on(ofOneTeam(4), AdmissionSettings.kueueParity());
        story.namespaces(Map.of("default", Map.of("team", "ours"), "others", Map.of()));
        story.submit(aWorkload("runs").in("q").gpus(4));
        return story;
    }

    private static void comeUndecided(EngineStory story) {
        story.engine().apply(story.queued(aWorkload("ours").in("q").gpus(4)), story.now());
        strangersComeUndecided(story);
    }

    private static void strangersComeUndecided(EngineStory story) {
        story.engine()
                .apply(
                        story.queued(
                                aWorkload("equal").inNamespace("others").in("q").gpus(4)),
                        story.now());
        story.engine()
                .apply(
                        story.queued(aWorkload("smaller")
                                .inNamespace("others")
                                .in("q")
                                .gpus(2)),
                        story.now());
    }

    private static EngineProbe.Waiting waiting(EngineStory story) {
        return new EngineProbe(story.engine()).waiting("q");
    }

    @Test
    void equal_work_is_parked_together_and_other_work_when_its_turn_comes() {
        EngineStory story = full();
        comeUndecided(story);
        EngineProbe probe = new EngineProbe(story.engine());
        assertThat(waiting(story).active()).hasSize(3);
        probe.cycle(story.now());
        assertThat(waiting(story).inadmissible()).containsExactly(story.id("ours"), story.id("equal"));
        assertThat(waiting(story).active()).containsExactly(story.id("smaller"));
        probe.cycle(story.now());
        assertThat(waiting(story).active()).isEmpty();
        assertThat(probe.hasActive()).isFalse();
    }

    @Test
    void what_comes_later_and_is_equal_to_what_is_parked_is_parked_unseen() {
        EngineStory story = full();
        story.submit(aWorkload("ours").in("q").gpus(4));
        strangersComeUndecided(story);
        assertThat(waiting(story).inadmissible()).containsExactly(story.id("ours"), story.id("equal"));
        assertThat(waiting(story).active()).containsExactly(story.id("smaller"));
    }

    @Test
    void what_gets_free_wakes_no_stranger() {
        EngineStory story = full();
        comeUndecided(story);
        story.step();
        assertThat(waiting(story).inadmissible()).hasSize(3);
        story.engine().apply(new EngineEvent.WorkloadFinished(story.id("runs"), true), story.now());
        assertThat(waiting(story).active()).containsExactly(story.id("ours"));
        assertThat(waiting(story).inadmissible()).containsExactly(story.id("equal"), story.id("smaller"));
        story.step();
        assertThat(story.running()).containsExactly("ours");
    }

    @Test
    void a_configuration_that_moves_no_quota_wakes_nobody_and_one_that_does_no_stranger() {
        EngineStory story = full();
        comeUndecided(story);
        story.step();
        story.engine().apply(new EngineEvent.ConfigurationReplaced(ofOneTeam(4)), story.now());
        assertThat(waiting(story).inadmissible()).hasSize(3);
        story.engine().apply(new EngineEvent.ConfigurationReplaced(ofOneTeam(5)), story.now());
        assertThat(waiting(story).active()).containsExactly(story.id("ours"));
        assertThat(waiting(story).inadmissible()).containsExactly(story.id("equal"), story.id("smaller"));
        assertThat(story.reason("equal")).isEqualTo(new WaitReason.NamespaceNotAllowed("others", "q"));
    }

    @Test
    void strangers_that_left_leave_the_others_to_themselves() {
        EngineStory story = full();
        comeUndecided(story);
        story.cancel("equal");
        story.cancel("smaller");
        assertThat(waiting(story).inadmissible()).containsExactly(story.id("ours"));
        story.finish("runs");
        assertThat(story.running()).containsExactly("ours");
    }
}
