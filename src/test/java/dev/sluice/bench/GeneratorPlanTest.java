package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.bench.GeneratorPlan.Arrival;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The load is the one that Kueue publishes. */
class GeneratorPlanTest {
    @Test
    void the_baseline_has_its_size_and_its_bound_of_66_seconds() {
        GeneratorPlan plan = GeneratorPlan.baseline();
        assertThat(plan.workloadCount()).isEqualTo(15_000);
        assertThat(plan.queueCount()).isEqualTo(30);
        assertThat(plan.workBoundSeconds()).isEqualTo(66);
    }

    @Test
    void large_scale_has_its_size_and_its_bound_of_four_seconds() {
        GeneratorPlan plan = GeneratorPlan.largeScale();
        assertThat(plan.workloadCount()).isEqualTo(50_000);
        assertThat(plan.queueCount()).isEqualTo(1_000);
        assertThat(plan.workBoundSeconds()).isBetween(4.02, 4.03);
    }

    @Test
    void arrivals_come_in_order_and_the_first_after_one_interval() {
        List<Arrival> arrivals = GeneratorPlan.baseline().arrivals();
        assertThat(arrivals)
                .hasSize(15_000)
                .isSortedAccordingTo((left, right) -> Long.compare(left.dueNanos(), right.dueNanos()));
        assertThat(arrivals.getFirst().dueNanos()).isEqualTo(100_000_000);
        assertThat(arrivals.getLast().dueNanos()).isEqualTo(60_000_000_000L);
    }

    @Test
    void a_body_is_the_native_shape() throws Exception {
        Arrival arrival = GeneratorPlan.baseline().arrivals().getFirst();
        assertThat(new ObjectMapper().readTree(arrival.body())).isEqualTo(new ObjectMapper().readTree("""
                                {"name":"small-1","namespace":"cohort-0-queue-0","queue":"cohort-0-queue-0",
                                 "priorityClass":"small","podSets":[{"name":"main","count":1,"requests":{"cpu":"1"}}],
                                 "expectedDuration":"PT0.200S"}"""));
    }

    @Test
    void an_unknown_configuration_is_refused_by_name() {
        assertThatThrownBy(() -> GeneratorPlan.named("huge")).hasMessageContaining("huge");
    }
}
