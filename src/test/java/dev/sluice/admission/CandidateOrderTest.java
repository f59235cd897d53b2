package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.WorkloadBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whom a preemptor of queue {@code own} would take first. */
@Tag("core")
class CandidateOrderTest {
    private static EngineStory story(AdmissionSettings settings) {
        return EngineStory.on(
                aCluster()
                        .cohort("lab", lab -> lab.queue("own", 20).queue("other", 20))
                        .build(),
                settings);
    }

    private static WorkloadBuilder job(String name, String queue, int priority) {
        return aWorkload(name).in(queue).gpus(1).priority(priority);
    }

    private static List<String> order(EngineStory story, AdmissionSettings settings, String seenFrom, String... names) {
        Roster roster = story.engine().roster();
        List<TrackedWorkload> candidates = new ArrayList<>();
        for (TrackedWorkload one : roster.everybody()) {
            candidates.add(one);
        }
        candidates.sort(
                new CandidateOrder(settings).seenFrom(roster.world().tree().queue(seenFrom)));
        List<String> ordered = new ArrayList<>();
        for (TrackedWorkload one : candidates) {
            for (String name : names) {
                if (story.id(name).equals(one.id())) {
                    ordered.add(name);
                }
            }
        }
        return ordered;
    }

    @Test
    void those_on_their_way_out_come_first_then_other_queues_then_lower_priority() {
        AdmissionSettings settings = AdmissionSettings.defaults();
        EngineStory story = story(settings);
        story.submit(
                job("own-low", "own", 1),
                job("own-high", "own", 9),
                job("other-high", "other", 9),
                job("leaving", "own", 9));
        story.cancel("leaving");

        assertThat(order(story, settings, "own", "own-low", "own-high", "other-high", "leaving"))
                .containsExactly("leaving", "other-high", "own-low", "own-high");
        assertThat(order(story, settings, "other", "own-low", "own-high", "other-high", "leaving"))
                .containsExactly("leaving", "own-low", "own-high", "other-high");
    }

    @Test
    void among_equals_the_latest_admission_goes_first_within_an_instant_too() {
        AdmissionSettings settings = AdmissionSettings.defaults();
        EngineStory story = story(settings);
        story.submit(job("first", "own", 1));
        story.submit(job("second", "own", 1), job("third", "own", 1));

        assertThat(order(story, settings, "own", "first", "second", "third"))
                .containsExactly("third", "second", "first");
        assertThat(order(story, AdmissionSettings.kueueParity(), "own", "first", "second", "third"))
                .as("Kueue takes the smaller id within an instant")
                .containsExactlyElementsOf(
                        story.id("second").compareTo(story.id("third")) < 0
                                ? List.of("second", "third", "first")
                                : List.of("third", "second", "first"));
    }

    @Test
    void whose_work_was_saved_last_loses_least() {
        AdmissionSettings settings = AdmissionSettings.defaults();
        EngineStory story = story(settings);
        story.submit(job("saved", "own", 1));
        story.submit(job("newer", "own", 1));
        story.after(Duration.ofMinutes(5));
        story.step(new EngineEvent.CheckpointReached(story.id("saved")));

        assertThat(order(story, settings, "own", "saved", "newer")).containsExactly("saved", "newer");
        assertThat(order(story, AdmissionSettings.kueueParity(), "own", "saved", "newer"))
                .containsExactly("newer", "saved");
    }

    @Test
    void who_used_more_of_late_goes_first_in_a_queue_that_goes_by_usage_and_in_no_other() {
        AdmissionSettings settings = AdmissionSettings.defaults();
        EngineStory story = EngineStory.on(
                aCluster()
                        .cohort(
                                "lab",
                                lab -> lab.queue("own", queue -> queue.gpus(20).goesByUsage())
                                        .queue("other", 1))
                        .localQueue("heavy", "own", "1")
                        .localQueue("light", "own", "1")
                        .build(),
                settings);
        story.submit(
                aWorkload("much").in("heavy").gpus(8).priority(9),
                aWorkload("little").in("light").gpus(1).priority(1));

        assertThat(order(story, settings, "own", "much", "little")).containsExactly("much", "little");
        assertThat(order(story, settings, "other", "much", "little"))
                .as("seen from outside, priority decides")
                .containsExactly("little", "much");
    }

    @Test
    void an_earmark_goes_before_who_was_admitted_in_the_same_instant() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("low").in("q").gpus(2));
        story.submit(
                aWorkload("starts").in("q").gpus(2).priority(5),
                aWorkload("waits-for-low").in("q").gpus(2).priority(5));
        assertThat(story.running()).containsExactly("starts");

        story.submit(aWorkload("top").in("q").gpus(2).priority(9));

        assertThat(story.running()).as("it goes on").containsExactly("starts");
        assertThat(story.decisions())
                .contains(new Decision.DropEarmark(story.id("waits-for-low"), "taken over by top"));
    }
}
