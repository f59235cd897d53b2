package dev.sluice.admission;

import dev.sluice.simulation.RandomLife;
import dev.sluice.simulation.RandomWorld;
import java.util.List;
import java.util.function.IntConsumer;

/** Engines that live through random events, looked into after each. */
final class RandomLives {
    private static final int STEPS = 80;

    private RandomLives() {}

    static void live(Engine engine, long world, IntConsumer afterStep) {
        RandomLife life = new RandomLife(new RandomWorld(world));
        List<EngineEvent> events = life.begin();
        for (int step = 0; step < STEPS; step++) {
            events.forEach(event -> engine.apply(event, life.now()));
            life.follow(engine.decide(life.now()));
            afterStep.accept(step);
            events = life.next();
        }
    }
}
