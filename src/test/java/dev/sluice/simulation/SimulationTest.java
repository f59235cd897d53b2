package dev.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.simulation.Simulation.Totals;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertThat(totals.stuck()).as("that did not end in time").isGreaterThan(5);
        assertThat(totals.changesTried()).as("changes tried on a fork").isGreaterThan(5);
    }

    /**
     * Worlds in which something did not hold once: a queue that is gone never counted as borrowing (100124, 100318, 100881, 101450);
     * room went to nobody after it was lost to one who only scanned its flavors (100164, 101576); a fork did not know the cohort of a
     * queue that is gone (101654, 101667); victims left the tree with their queue (101141); a change that was named did not help
     * (200328, 201744); room that got free just before a new configuration was forgotten (101249, 101826).
     * In 902890 an earmark was taken over by share, and a victim without which that is not fair was thought to be needless.
     * In 5012904 one that lost its flavor to what another head keeps did not come to try the next. In 11001835 those that come after one
     * that loses to what another front keeps had no turn. In 11003272 an edit forgot who keeps its room, and those behind it
     * waited on. In 12011182 an engine went by a time that one that was restored did not know. In 17006326 who asked for no more than its
     * queue has of its own stood for one behind it, though it could not take that back.
     */
    @ParameterizedTest
    @ValueSource(
            longs = {
                100124, 100318, 100881, 101450, 100164, 101576, 101654, 101667, 101141, 200328, 201744, 101249, 101826,
                902890, 5012904, 11001835, 11003272, 12011182, 17006326
            })
    void what_broke_once_holds(long seed) {
        assertThat(Simulation.live(seed, 110).steps()).isGreaterThan(100);
    }

    @Test
    void the_same_seed_lives_the_same_life() {
        assertThat(Simulation.live(7, STEPS)).isEqualTo(Simulation.live(7, STEPS));
    }
}
