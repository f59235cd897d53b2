package dev.sluice.naive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.testkit.RandomTrials;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One cohort of alike queues in which far more waits than there is room for: the same circumstances come again and again, which is what
 * the engine's memory of who could not start, and of who would, lives on. The naive engine has no memory, and decides the same.
 */
@Tag("core")
class CrowdedCohortTest {
    private static final int WORLDS_OF_A_BLOCK = 12;

    @ParameterizedTest
    @ValueSource(longs = {0, 100, 200, 300, 400, 500, 600, 700})
    void who_was_found_before_is_who_would_be_found_now(long block) {
        for (long seed = block; seed < block + RandomTrials.outOf(WORLDS_OF_A_BLOCK); seed++) {
            compare(seed);
        }
    }

    /** Whether it starts hung on whom it could take of others, which changes without anything happening in its own queue. */
    @ParameterizedTest
    @ValueSource(longs = 283)
    void who_would_take_of_others_is_looked_for_again(long seed) {
        compare(seed);
    }

    /** With less left it must preempt more of its own queue's, and then need not borrow any more. */
    @ParameterizedTest
    @ValueSource(longs = {5285, 5665})
    void who_would_preempt_more_may_borrow_no_more(long seed) {
        compare(seed);
    }

    private static void compare(long seed) {
        CrowdedCohort crowd = new CrowdedCohort(seed);
        Engine engine = new Engine(crowd.settings());
        NaiveEngine naive = new NaiveEngine(crowd.settings());
        crowd.live((events, now) -> {
            for (EngineEvent event : events) {
                engine.apply(event, now);
                naive.apply(event, now);
            }
            List<Decision> decided = engine.decide(now);
            assertThat(decided.stream().map(AgainstNaiveEngineTest::withoutText).toList())
                    .as("seed %d at %s under %s after %s", seed, now, crowd.settings(), events)
                    .isEqualTo(naive.decide(now));
            return decided;
        });
    }
}
