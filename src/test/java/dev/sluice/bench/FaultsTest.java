package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.FaultsBench.Fault;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The product survives what it must survive: the packaged service as a child process, PostgreSQL and the fleet beside it. Runs
 * after the packaging.
 */
@Tag("faults")
class FaultsTest {
    @Test
    void workloads_flow_through_a_hundred_kills_and_nothing_is_lost_or_done_twice() throws InterruptedException {
        assertAllTargetsMet(new KillsBench(100, 500, 20_260_101));
    }

    @Test
    void everything_catches_up_after_the_database_was_away_for_ten_seconds() throws InterruptedException {
        assertAllTargetsMet(new FaultsBench(List.of(Fault.DATABASE), 10, 120, 1));
    }

    @Test
    void everything_catches_up_after_the_fleet_was_away_for_ten_seconds() throws InterruptedException {
        assertAllTargetsMet(new FaultsBench(List.of(Fault.FLEET), 10, 120, 2));
    }

    private static void assertAllTargetsMet(Benchmark run) throws InterruptedException {
        Report report = run.run(System.out);
        assertThat(report.rows().stream().filter(row -> !row.met()))
                .as(report.table())
                .isEmpty();
    }
}
