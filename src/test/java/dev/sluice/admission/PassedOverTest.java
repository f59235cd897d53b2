package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.sluice.quota.Configuration;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.WorkloadBuilder;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadState;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever is passed over when something gets free is nobody who could start, and is in nobody's way. */
@Tag("core")
class PassedOverTest {
    private static final ThreadMXBean ALLOCATIONS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Duration HOUR = Duration.ofHours(1);

    /** One queue borrows CPUs, another has them all in use. */
    private static EngineStory allCpusInUse(UsableCapacity capacity) {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("gpus", Map.of("zone", "a"))
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "borrower",
                                        queue -> queue.quota("cpus", "cpu", "0").quota("gpus", GPU, "4"))
                                .queue("owner", queue -> queue.quota("cpus", "cpu", "4"))));
        story.capacity(capacity);
        story.submit(aWorkload("runs").in("owner").asks("cpu", "4"));
        return story;
    }

    private static void isInNobodysWay(EngineStory story, WorkloadBuilder odd, String code) {
        story.submit(odd.in("borrower"));
        story.submit(aWorkload("fine").in("borrower").asks("cpu", "2"));
        story.finish("runs");
        assertThat(story.running()).containsExactly("fine");
        assertThat(story.reason("odd").code()).isEqualTo(code);
    }

    @Test
    void whose_pods_go_with_no_flavor_is_in_nobodys_way() {
        isInNobodysWay(
                allCpusInUse(UsableCapacity.UNLIMITED),
                aWorkload("odd").asks("cpu", "2").gpus(1).onNodesWith("zone", "b"),
                "NO_MATCHING_FLAVOR");
    }

    @Test
    void what_no_node_could_hold_is_in_nobodys_way() {
        UsableCapacity oneGpu = new UsableCapacity(
                true,
                List.of(new UsableCapacity.Node(
                        "n1",
                        new TreeMap<>(Map.of("zone", "a")),
                        List.of(),
                        new TreeMap<>(Map.of(GPU, 1L, "cpu", 64_000L)))));
        isInNobodysWay(allCpusInUse(oneGpu), aWorkload("odd").asks("cpu", "2").gpus(2), "NOT_PLACEABLE");
    }

    @Test
    void who_asks_for_what_the_queue_does_not_list_is_in_nobodys_way() {
        isInNobodysWay(
                allCpusInUse(UsableCapacity.UNLIMITED),
                aWorkload("odd").asks("cpu", "2").asks("example.com/fpga", "1"),
                "RESOURCE_NOT_COVERED");
    }

    @Test
    void of_what_the_queue_does_not_list_none_may_be_asked_for() {
        EngineStory story = allCpusInUse(UsableCapacity.UNLIMITED);
        story.submit(aWorkload("none").in("borrower").asks("cpu", "2").asks("example.com/fpga", "0"));
        story.finish("runs");
        assertThat(story.running()).containsExactly("none");
    }

    @Test
    void a_gang_that_fits_in_parts_only_is_in_nobodys_way() {
        EngineStory story = allCpusInUse(UsableCapacity.UNLIMITED);
        story.submit(
                aWorkload("gang").in("borrower").asks("cpu", "3").with(PodSet.of("workers", 1, Map.of("cpu", 3000L))));
        story.submit(aWorkload("fine").in("borrower").asks("cpu", "2"));
        story.finish("runs");
        assertThat(story.running()).containsExactly("fine");
    }

    @Test
    void a_gang_that_fits_in_parts_only_is_in_nobodys_way_within_quota_either() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        story.submit(aWorkload("runs").in("q").gpus(4));
        story.submit(aWorkload("gang").in("q").gpus(3).with(PodSet.of("workers", 1, Map.of(GPU, 3L))));
        story.submit(aWorkload("fine").in("q").gpus(2));
        story.finish("runs");
        assertThat(story.running()).containsExactly("fine");
    }

    @Test
    void a_flavor_behind_that_does_not_go_with_the_pods_hides_none_in_front() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("a", Map.of("zone", "a"))
                .flavor("b", Map.of("zone", "b"))
                .queue(
                        "q",
                        queue -> queue.quota("a", GPU, "4")
                                .quota("a", "cpu", "8")
                                .quota("b", GPU, "4")
                                .quota("b", "cpu", "8")));
        story.submit(aWorkload("runs").in("q").gpus(4).onNodesWith("zone", "a"));
        story.submit(aWorkload("waits").in("q").gpus(4).asks("cpu", "8").onNodesWith("zone", "a"));
        story.finish("runs");
        assertThat(story.running()).containsExactly("waits");
    }

    @Test
    void of_many_priorities_the_one_that_fits_starts() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 40));
        story.submit(
                aWorkload("large").in("q").gpus(38), aWorkload("small").in("q").gpus(2));
        for (int priority = 12; priority > 0; priority--) {
            story.submit(aWorkload("p" + priority).in("q").gpus(2 + priority).priority(priority));
        }
        story.submit(aWorkload("last").in("q").gpus(2));
        story.finish("small");
        assertThat(story.running()).containsExactly("large", "last");
    }

    // What one lacks, those behind it lack as well

    private static AdmissionSettings runningAnHour() {
        return AdmissionSettings.defaults()
                .with(new VictimChoice(HOUR, 0, Duration.ZERO, true, true))
                .with(OrderKeeping.KUEUE);
    }

    @Test
    void who_needs_less_than_one_before_it_lacks_is_looked_at() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.gpus(8).preemptsLower()).build(), runningAnHour());
        story.submit(aWorkload("low").in("q").gpus(6), aWorkload("tiny").in("q").gpus(2));
        story.submit(aWorkload("high").in("q").gpus(5).priority(9));
        story.submit(aWorkload("same").in("q").gpus(5).priority(8));
        story.submit(aWorkload("small").in("q").gpus(2).priority(5));
        story.finish("tiny");
        assertThat(story.running())
                .as("high could take low after its hour only, and small needs nobody to go")
                .containsExactly("low", "small");
    }

    @Test
    void who_may_preempt_more_than_one_before_it_is_looked_at() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .queue("q", queue -> queue.gpus(8).preemptsLower().goesByUsage())
                        .localQueue("heavy", "q", "1")
                        .localQueue("light", "q", "1")
                        .build(),
                runningAnHour());
        story.submit(aWorkload("seven").in("heavy").gpus(4).priority(7));
        Instant free = story.now().plus(HOUR);
        story.after(Duration.ofMinutes(30));
        story.submit(aWorkload("five").in("heavy").gpus(4).priority(5));
        story.submit(aWorkload("six").in("light").gpus(4).priority(6));
        story.submit(aWorkload("nine").in("heavy").gpus(4).priority(9));
        assertThat(story.engine().pending("q")).containsExactly(story.id("six"), story.id("nine"));
        story.at(free);
        assertThat(story.in(WorkloadState.EVICTING))
                .as("six may take five only, which is protected still")
                .containsExactly("seven");
        story.gone("seven");
        assertThat(story.running()).containsExactly("five", "nine");
    }

    private static Configuration manyCpusFewGpus() {
        return aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("gpus", GPU, "100")
                                .quota("few", "cpu", "5")
                                .quota("many", "cpu", "1000")
                                .preemptsLower())
                .build();
    }

    /** Somebody ends, and all that wait need as many GPUs as the first of them, which lacks them. */
    private static long bytesOfAnEnd(int waiting) {
        EngineStory story = EngineStory.on(manyCpusFewGpus(), runningAnHour());
        story.submit(aWorkload("low").in("q").gpus(90));
        for (int number = 0; number < 10; number++) {
            story.submit(aWorkload("tiny" + number).in("q").gpus(1));
        }
        story.submit(aWorkload("first").in("q").gpus(50).asks("cpu", "1000").priority(9));
        for (int number = 0; number < waiting; number++) {
            story.submit(aWorkload("w" + number)
                    .in("q")
                    .gpus(50)
                    .asks("cpu", String.valueOf(6 + number))
                    .priority(9));
        }
        story.finish("tiny0");
        long before = ALLOCATIONS.getCurrentThreadAllocatedBytes();
        story.finish("tiny1");
        return ALLOCATIONS.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void who_needs_what_one_before_it_lacks_costs_no_look() {
        bytesOfAnEnd(10);
        assertThat(bytesOfAnEnd(300)).isLessThan(3 * bytesOfAnEnd(10));
    }
}
