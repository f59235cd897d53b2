package dev.sluice.naive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.OrderKeeping;
import dev.sluice.simulation.RandomLife;
import dev.sluice.simulation.RandomWorld;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever happens, deciding comes to rest. Here every front keeps what it needs as soon as it waits, so that as many as can be meet
 * others that keep room, too. One that was woken, lost to those, and was parked again as it had been, once counted as something that moved:
 * it was woken again without end.
 */
@Tag("core")
class EveryInstantEndsTest {
    private static final int STEPS = 80;
    private static final int WORLDS = 40;

    /** The limit is there to fail instead of never ending; the worlds of one seed take less than a second. */
    @ParameterizedTest
    @ValueSource(longs = {2920, 2954, 7000})
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void where_every_front_keeps_its_room_at_once(long first) {
        AdmissionSettings settings = AdmissionSettings.defaults().with(new OrderKeeping(true, Duration.ofMillis(1)));
        int admitted = 0;
        for (long seed = first; seed < first + WORLDS; seed++) {
            Engine engine = new Engine(settings);
            RandomLife life = new RandomLife(new RandomWorld(seed));
            List<EngineEvent> events = life.begin();
            for (int step = 0; step < STEPS; step++) {
                events.forEach(event -> engine.apply(event, life.now()));
                List<Decision> decided = engine.decide(life.now());
                admitted += (int) decided.stream()
                        .filter(Decision.Admit.class::isInstance)
                        .count();
                assertThat(engine.decide(life.now()))
                        .as("seed %d, step %d: nothing is left to be decided", seed, step)
                        .isEmpty();
                life.follow(decided);
                events = life.next();
            }
        }
        assertThat(admitted).isGreaterThan(WORLDS);
    }
}
