package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.sluice.quota.Configuration;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who is looked at again when something moved: only who could start by it, and only as many as there is room for. */
@Tag("core")
class WakingTest {
    private static final String GPU = ClusterBuilder.GPU;
    private static final int DIFFERENT = 200;
    private static final ThreadMXBean ALLOCATIONS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static Configuration twoTeams() {
        return aCluster()
                .cohort(
                        "all",
                        all -> all.queue(
                                        "a", queue -> queue.quota("f", GPU, "8").preemptsLower())
                                .queue("b", queue -> queue.quota("f", GPU, "8").preemptsLower()))
                .build();
    }

    /** Quota is full, and in each queue wait gangs of which none is like another; each of 9 GPUs or more. */
    private static EngineStory fullWithGangsWaiting(AdmissionSettings settings) {
        EngineStory story = EngineStory.on(twoTeams(), settings);
        for (int number = 0; number < 16; number++) {
            story.submit(aWorkload("r" + number).in(number < 8 ? "a" : "b").asks(GPU, "1"));
        }
        for (int number = 0; number < DIFFERENT; number++) {
            String queue = number % 2 == 0 ? "a" : "b";
            story.submit(aWorkload("gang" + number).in(queue).asks(GPU, String.valueOf(9 + number)));
        }
        return story;
    }

    private static long cycles(EngineStory story) {
        return story.engine().roster().trees().stream()
                .mapToLong(tree -> tree.cycle)
                .sum();
    }

    @Test
    void an_end_that_lets_nobody_start_costs_no_look_at_those_that_differ() {
        EngineStory story = fullWithGangsWaiting(AdmissionSettings.defaults());
        long before = cycles(story);
        story.finish("r0");
        assertThat(cycles(story) - before).isLessThan(5);
    }

    /** Of a hundred teams without a quota of their own, each of which wants a lender's GPU, and wants it once more. */
    @Test
    void a_piece_that_a_hundred_queues_want_is_not_offered_to_all_of_them() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .cohort("all", all -> {
                            all.queue("lender", 8);
                            for (int team = 0; team < 100; team++) {
                                all.queue("team" + team, 0);
                            }
                        })
                        .build(),
                AdmissionSettings.defaults().with(FairSharing.ON));
        for (int number = 0; number < 8; number++) {
            story.submit(aWorkload("runs" + number).in("lender").gpus(1));
        }
        for (int number = 0; number < 200; number++) {
            story.submit(aWorkload("wants" + number)
                    .in("team" + number % 100)
                    .gpus(1)
                    .priority(number == 150 ? 1 : 0));
        }
        EngineProbe probe = new EngineProbe(story.engine());
        long before = probe.cost().queues();

        story.finish("runs0");
        assertThat(story.running()).as("of equal shares the higher priority").contains("wants150");
        story.finish("runs1");
        assertThat(story.running()).as("then who waits the longest").contains("wants0");
        story.finish("runs2");
        assertThat(story.running()).as("of those that have none yet").contains("wants1");

        assertThat(probe.cost().queues() - before)
                .as("into each once, to see that nothing is left, and not once more for every piece")
                .isLessThan(120);
    }

    @Test
    void kueue_looks_at_everybody() {
        EngineStory story = fullWithGangsWaiting(AdmissionSettings.kueueParity());
        long before = cycles(story);
        story.finish("r0");
        assertThat(cycles(story) - before).isGreaterThanOrEqualTo(DIFFERENT / 2);
    }

    @Test
    void a_log_that_was_written_when_everybody_was_woken_is_led_through_again_by_one_look_at_everybody() {
        EngineStory story = fullWithGangsWaiting(wakingEverybody());
        long before = cycles(story);
        story.finish("r0");
        assertThat(cycles(story) - before).isBetween(DIFFERENT / 2L, DIFFERENT / 2L + 5);
    }

    /** The other policies, as an older form of the settings has them. */
    static AdmissionSettings wakingEverybody() {
        AdmissionSettings now = AdmissionSettings.defaults();
        return new AdmissionSettings(
                now.earmarks(),
                now.feasibleVictimsOnly(),
                now.uncontestedMayBorrow(),
                now.fairAfterTrimming(),
                now.fairSharingBrake(),
                now.reclaimFromPartial(),
                now.nativeUnlimited(),
                false,
                now.orderKeeping(),
                now.victimChoice(),
                now.startRetries(),
                now.stuckVictims(),
                now.overcommitment(),
                now.fairSharing(),
                now.admissionFairSharing());
    }

    @Test
    void the_first_of_its_queue_that_fits_what_got_free_starts() {
        EngineStory story = fullWithGangsWaiting(AdmissionSettings.defaults());
        story.submit(aWorkload("two").in("a").asks(GPU, "2"));
        story.submit(aWorkload("one").in("a").asks(GPU, "1"));
        story.submit(aWorkload("other-one").in("a").asks(GPU, "1"));
        story.finish("r0");
        assertThat(story.running()).contains("one").doesNotContain("two", "other-one");
        story.finish("r1");
        assertThat(story.running()).contains("other-one").doesNotContain("two");
    }

    @Test
    void what_is_woken_for_room_is_no_more_than_the_room() {
        EngineStory story = fullWithGangsWaiting(AdmissionSettings.defaults());
        story.submit(aWorkload("of-a").in("a").asks(GPU, "1"));
        story.submit(aWorkload("of-b").in("b").asks(GPU, "1"));
        story.finish("r0");
        assertThat(story.running()).contains("of-a").doesNotContain("of-b");
        assertThat(new EngineProbe(story.engine()).waiting("b").active())
                .as("b could only have borrowed what a took")
                .isEmpty();
    }

    @Test
    void whoever_does_not_start_is_told_the_numbers_of_now() {
        EngineStory story = fullWithGangsWaiting(AdmissionSettings.defaults());
        story.finish("r0");
        story.finish("r1");
        story.finish("r9");
        assertThat(story.reason("gang3")).isEqualTo(new WaitReason.QuotaExhausted(GPU, "f", 12, 3, 9));
    }

    @Test
    void room_that_is_lent_is_taken_back_by_whoever_comes_to_need_it() {
        Configuration reclaiming = aCluster()
                .cohort(
                        "all",
                        all -> all.queue(
                                        "a", queue -> queue.quota("f", GPU, "8").reclaimsAny())
                                .queue("b", queue -> queue.quota("f", GPU, "8")))
                .build();
        EngineStory story = EngineStory.on(reclaiming, AdmissionSettings.defaults());
        story.submit(aWorkload("of-a").in("a").asks(GPU, "8"));
        story.submit(aWorkload("waiting").in("a").asks(GPU, "8"));
        story.submit(aWorkload("of-b").in("b").asks(GPU, "8"));
        story.submit(aWorkload("borrower").in("b").asks(GPU, "6"));
        story.finish("of-a");
        assertThat(story.running()).contains("waiting").doesNotContain("borrower");
        story.finish("waiting");
        assertThat(story.running()).contains("borrower");
        story.submit(aWorkload("late").in("a").asks(GPU, "4"));
        assertThat(story.state("borrower")).isEqualTo(WorkloadState.EVICTING);
    }

    @Test
    void what_could_be_taken_back_is_known_anew_when_pods_that_were_done_run_again() {
        Configuration lending = aCluster()
                .cohort(
                        "all",
                        all -> all.queue(
                                        "a", queue -> queue.quota("f", GPU, "4").preemptsLower())
                                .queue("b", queue -> queue.quota("f", GPU, "4")))
                .build();
        EngineStory story = EngineStory.on(lending, AdmissionSettings.defaults());
        story.submit(aWorkload("low").in("a").pods(4).asks(GPU, "1"));
        story.step(new EngineEvent.PodsReclaimable(story.id("low"), new TreeMap<>(Map.of("main", 3))));
        story.submit(aWorkload("high").in("a").asks(GPU, "3").priority(10));
        story.submit(
                aWorkload("large").in("b").asks(GPU, "3"),
                aWorkload("small").in("b").asks(GPU, "1"));
        story.submit(aWorkload("waits").in("a").asks(GPU, "4").priority(5));
        story.finish("small");
        assertThat(story.state("waits")).isEqualTo(WorkloadState.PENDING);

        story.step(new EngineEvent.PodsReclaimable(story.id("low"), new TreeMap<>()));
        story.finish("large");
        assertThat(story.state("low"))
                .as("with all its pods it is enough for the one of higher priority")
                .isEqualTo(WorkloadState.EVICTING);
    }

    /** Every queue is full, and somebody waits in each who would have to borrow; what one event costs is told in bytes. */
    private static long bytesOfAnEnd(int queues) {
        Configuration teams = aCluster()
                .cohort("all", all -> {
                    for (int queue = 0; queue < queues; queue++) {
                        all.queue("q" + queue, team -> team.quota("f", GPU, "4").preemptsLower());
                    }
                })
                .build();
        EngineStory story = EngineStory.on(teams, AdmissionSettings.defaults().with(FairSharing.ON));
        for (int queue = 0; queue < queues; queue++) {
            for (int number = 0; number < 4; number++) {
                story.submit(
                        aWorkload("r" + queue + "-" + number).in("q" + queue).asks(GPU, "1"));
            }
        }
        for (int queue = 0; queue < queues; queue++) {
            story.submit(aWorkload("gang" + queue).in("q" + queue).asks(GPU, "6"));
        }
        long bytes = 0;
        for (int event = 0; event < 20; event++) {
            // the first time everybody is looked at, to know for how long there is no need to
            boolean counts = event >= 4;
            story.submit(aWorkload("next" + event).in("q1").asks(GPU, "1"));
            EngineEvent end =
                    new EngineEvent.WorkloadFinished(story.id(event < 4 ? "r1-" + event : "next" + (event - 4)), true);
            long before = ALLOCATIONS.getCurrentThreadAllocatedBytes();
            story.engine().apply(end, story.now());
            List<Decision> decided = story.engine().decide(story.now());
            bytes += counts ? ALLOCATIONS.getCurrentThreadAllocatedBytes() - before : 0;
            assertThat(decided).as("it ended, and the next of its queue starts").hasSize(2);
        }
        return bytes;
    }

    @Test
    void an_end_in_one_of_many_queues_costs_no_look_at_the_others() {
        bytesOfAnEnd(10);
        assertThat(bytesOfAnEnd(400)).isLessThan(2 * bytesOfAnEnd(10));
    }

    /** Both would start if the head of the strict queue kept nothing, but not both of them: the first is woken, and loses. */
    @Test
    void who_comes_after_one_that_loses_to_what_a_strict_head_keeps_has_its_turn_at_once() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "strict",
                                        queue -> queue.quota("gpus", GPU, "4")
                                                .preemptsLower()
                                                .reclaimsLower()
                                                .strict())
                                .queue(
                                        "both",
                                        queue -> queue.quota("gpus", GPU, "0").quota("cpus", "cpu", "0"))
                                .queue("other", queue -> queue.quota("cpus", "cpu", "0"))
                                .queue("lender", queue -> queue.quota("cpus", "cpu", "3"))));
        story.submit(
                aWorkload("runs").in("both").gpus(2).priority(9),
                aWorkload("works").in("other").asks("cpu", "3"));
        story.submit(aWorkload("head").in("strict").gpus(4));
        story.submit(
                aWorkload("first").in("both").gpus(1).asks("cpu", "3").priority(5),
                aWorkload("second").in("other").asks("cpu", "3"));
        story.finish("works");
        assertThat(story.running()).containsExactly("runs", "second");
        assertThat(story.reason("first")).isInstanceOf(WaitReason.QuotaExhausted.class);
    }
}
