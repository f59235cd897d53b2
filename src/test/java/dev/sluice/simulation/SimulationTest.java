package dev.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.simulation.Simulation.Totals;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random worlds live through random events, and what must always hold holds after every step. */
@Tag("core")
class SimulationTest {
    private static final int WORLDS = 60;
    private static final int STEPS = 60;

    static List<Long> blocks() {
        return LongStream.range(0, 5).boxed().toList();
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void what_must_always_hold_holds(long block) {
        Totals totals = Totals.NONE;
        for (long seed = block * WORLDS; seed < (block + 1) * WORLDS; seed++) {
            totals = totals.plus(Simulation.live(seed, STEPS));
        }
        assertThat(totals.steps()).isGreaterThan(WORLDS * STEPS);
        assertThat(totals.admissions()).isGreaterThan(totals.steps() / 2);
        assertThat(totals.evictions()).as("of victims").isGreaterThan(50);
        assertThat(totals.earmarks()).isGreaterThan(200);
        assertThat(totals.changesTried()).as("changes tried on a fork").isGreaterThan(5);
    }

    @Test
    void the_same_seed_lives_the_same_life() {
        assertThat(Simulation.live(7, STEPS)).isEqualTo(Simulation.live(7, STEPS));
    }
}
