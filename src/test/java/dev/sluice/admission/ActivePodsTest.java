package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Counts and costs of a workload some of whose pods are done. */
@Tag("core")
class ActivePodsTest {
    private static final PodSet WORKERS = PodSet.of("workers", 4, Map.of("cpu", 500L));
    private static final PodSet DRIVER = PodSet.of("driver", 1, Map.of("cpu", 100L));

    private static SortedMap<String, Integer> counts(Map<String, Integer> counts) {
        return new TreeMap<>(counts);
    }

    private static PodSetAssignment podSet(String name, int count, Map<String, Long> usage) {
        SortedMap<String, String> flavors = new TreeMap<>();
        usage.keySet().forEach(resource -> flavors.put(resource, "f"));
        return new PodSetAssignment(name, count, flavors, new TreeMap<>(usage));
    }

    private static Assignment assignment(PodSetAssignment... podSets) {
        return new Assignment("q", List.of(podSets), true);
    }

    private static Assignment admitted() {
        return assignment(podSet("workers", 4, Map.of("cpu", 2000L)), podSet("driver", 1, Map.of("cpu", 100L)));
    }

    @Test
    void a_workload_costs_what_its_active_pods_cost() {
        assertThat(ActivePods.occupied(admitted(), List.of(WORKERS, DRIVER), counts(Map.of("workers", 1))))
                .isEqualTo(assignment(
                        podSet("workers", 1, Map.of("cpu", 500L)), podSet("driver", 1, Map.of("cpu", 100L))));
        assertThat(ActivePods.occupied(admitted(), List.of(WORKERS, DRIVER), counts(Map.of())))
                .isEqualTo(admitted());
        assertThat(ActivePods.occupied(admitted(), List.of(WORKERS, DRIVER), counts(Map.of("driver", 0))))
                .isEqualTo(
                        assignment(podSet("workers", 4, Map.of("cpu", 2000L)), podSet("driver", 0, Map.of("cpu", 0L))));
    }

    @Test
    void pods_that_were_not_admitted_cost_what_they_ask_for_once_they_run() {
        Assignment none = assignment(podSet("workers", 0, Map.of("cpu", 0L, "pods", 0L, "memory", 0L)));

        assertThat(ActivePods.occupied(none, List.of(WORKERS), counts(Map.of("workers", 3))))
                .isEqualTo(assignment(podSet("workers", 3, Map.of("cpu", 1500L, "pods", 3L, "memory", 0L))));
    }

    @Test
    void who_is_scaled_down_keeps_at_most_what_it_has() {
        assertThat(ActivePods.atMost(admitted(), counts(Map.of("workers", 3))))
                .isEqualTo(assignment(
                        podSet("workers", 3, Map.of("cpu", 1500L)), podSet("driver", 1, Map.of("cpu", 100L))));
        assertThat(ActivePods.atMost(admitted(), counts(Map.of("workers", 9)))).isEqualTo(admitted());
        assertThat(ActivePods.atMost(admitted(), counts(Map.of("workers", -1))))
                .isEqualTo(
                        assignment(podSet("workers", 0, Map.of("cpu", 0L)), podSet("driver", 1, Map.of("cpu", 100L))));
        Assignment none = assignment(podSet("workers", 0, Map.of("cpu", 0L)));
        assertThat(ActivePods.atMost(none, counts(Map.of("workers", 2)))).isEqualTo(none);
    }

    @Test
    void what_is_still_to_run_is_all_but_what_is_done() {
        List<PodSet> both = List.of(WORKERS, DRIVER);

        assertThat(ActivePods.remaining(both, counts(Map.of()))).isSameAs(both);
        assertThat(ActivePods.remaining(both, counts(Map.of("workers", 1))))
                .extracting(PodSet::count)
                .containsExactly(3, 1);
        assertThat(ActivePods.remaining(both, counts(Map.of("workers", 9))))
                .extracting(PodSet::count)
                .containsExactly(0, 1);
        assertThat(ActivePods.remaining(both, counts(Map.of("workers", 1))).getLast())
                .isSameAs(DRIVER);
    }

    @Test
    void no_more_pods_are_done_than_there_are() {
        assertThat(ActivePods.within(List.of(WORKERS, DRIVER), Map.of("workers", 9, "driver", 0, "nobody", 3)))
                .isEqualTo(Map.of("workers", 4));
        assertThat(ActivePods.within(List.of(WORKERS, DRIVER), Map.of("workers", 3, "driver", 1)))
                .isEqualTo(Map.of("workers", 3, "driver", 1));
        assertThat(ActivePods.within(List.of(DRIVER), Map.of("driver", -1))).isEmpty();
    }

    private static Particulars before(Map<String, Integer> done, Map<String, Integer> active) {
        Particulars none = Particulars.NONE;
        return new Particulars(
                counts(done),
                counts(active),
                none.waitingSince(),
                none.checkpointAt(),
                none.lostTime(),
                none.preemptedBy(),
                none.preemptedInARow(),
                none.failedStarts(),
                none.failedStart(),
                none.stopsAt(),
                none.leavingSince(),
                none.stuck(),
                none.checks(),
                none.checkedAt(),
                none.preemptors(),
                none.preemptedUnder(),
                none.podSets());
    }

    private static SortedMap<String, Integer> after(
            int admitted, Particulars before, Map<String, Integer> done, boolean exactly) {
        Assignment partly = assignment(podSet("workers", admitted, Map.of("cpu", 500L * admitted)));
        return ActivePods.after(partly, List.of(WORKERS), before, counts(done), exactly);
    }

    @Test
    void each_pod_that_gets_done_is_active_no_more() {
        assertThat(after(4, before(Map.of(), Map.of()), Map.of("workers", 1), true))
                .isEqualTo(Map.of("workers", 3));
        assertThat(after(4, before(Map.of("workers", 1), Map.of("workers", 3)), Map.of("workers", 3), true))
                .isEqualTo(Map.of("workers", 1));
        assertThat(after(4, before(Map.of("workers", 1), Map.of("workers", 3)), Map.of(), true))
                .as("they run again: as admitted")
                .isEmpty();
        assertThat(after(2, before(Map.of(), Map.of()), Map.of("workers", 1), true))
                .as("partially admitted, one of two is done")
                .isEqualTo(Map.of("workers", 1));
        assertThat(after(2, before(Map.of(), Map.of()), Map.of("workers", 4), true))
                .isEqualTo(Map.of("workers", 0));
        assertThat(after(2, before(Map.of("workers", 4), Map.of()), Map.of(), true))
                .as("not more than there are")
                .isEqualTo(Map.of("workers", 4));
    }

    @Test
    void as_kueue_counts_a_partial_admission_frees_nothing_at_first() {
        assertThat(after(2, before(Map.of(), Map.of()), Map.of("workers", 2), false))
                .isEmpty();
        assertThat(after(2, before(Map.of(), Map.of()), Map.of("workers", 3), false))
                .isEqualTo(Map.of("workers", 1));
        assertThat(after(4, before(Map.of(), Map.of()), Map.of("workers", 4), false))
                .isEqualTo(Map.of("workers", 0));
    }
}
