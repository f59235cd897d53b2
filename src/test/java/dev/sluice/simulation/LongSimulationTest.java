package dev.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.simulation.Simulation.Totals;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** 200,000 steps of other worlds than {@link SimulationTest} tries; in the full test run only, since they take minutes. */
class LongSimulationTest {
    private static final long FIRST_SEED = 100_000;
    private static final int BLOCKS = 20;
    private static final int WORLDS = 100;
    private static final int STEPS = 100;

    static List<Long> firstSeeds() {
        return LongStream.range(0, BLOCKS)
                .map(block -> FIRST_SEED + block * WORLDS)
                .boxed()
                .toList();
    }

    @ParameterizedTest
    @MethodSource("firstSeeds")
    void what_must_always_hold_holds_after_each_of_ten_thousand_steps(long firstSeed) {
        Totals totals = Totals.NONE;
        for (long seed = firstSeed; seed < firstSeed + WORLDS; seed++) {
            totals = totals.plus(Simulation.live(seed, STEPS));
        }
        assertThat(totals.steps()).isGreaterThanOrEqualTo(10_000);
        assertThat(totals.evictions()).as("of victims").isGreaterThan(300);
        assertThat(totals.changesTried()).as("changes tried on a fork").isGreaterThan(50);
    }
}
