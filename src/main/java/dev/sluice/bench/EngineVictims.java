package dev.sluice.bench;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.FairSharing;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** One workload takes back all of its queue's quota, which a great many small ones of another queue borrowed: one decision. */
final class EngineVictims {
    private static final int VICTIMS = 10_000;
    private static final int VICTIMS_IF_QUICK = 1_000;
    private static final int WARM_UPS = 3;
    private static final int RUNS = 5;
    private static final double MILLIS_MAX = 50;

    private final int victims;
    private final boolean quick;

    EngineVictims(boolean quick) {
        this.quick = quick;
        victims = quick ? VICTIMS_IF_QUICK : VICTIMS;
    }

    List<Row> rows(PrintStream progress) {
        return List.of(
                row(AdmissionSettings.defaults(), "without fair sharing", progress),
                row(AdmissionSettings.defaults().with(FairSharing.ON), "with fair sharing", progress));
    }

    private Row row(AdmissionSettings settings, String policies, PrintStream progress) {
        List<Double> millis = new ArrayList<>();
        for (int run = 0; run < WARM_UPS + RUNS; run++) {
            double took = once(settings);
            if (run >= WARM_UPS) {
                millis.add(took);
            }
        }
        Collections.sort(millis);
        progress.println(victims + " victims " + policies + ": " + millis + " ms");
        String name = String.format(Locale.ROOT, "decision to preempt %,d, %s, median", victims, policies);
        double median = millis.get(RUNS / 2);
        return quick ? Row.told(name, median, "ms") : Row.atMost(name, median, "ms", MILLIS_MAX);
    }

    /** Milliseconds of the decision alone. */
    private double once(AdmissionSettings settings) {
        EngineWorld world = new EngineWorld(2, 1, 1);
        String owner = world.queues().getFirst();
        String borrower = world.queues().getLast();
        Instant now = Instant.EPOCH;
        Engine engine = new Engine(settings);
        engine.apply(new EngineEvent.ConfigurationReplaced(world.configuration(victims)), now);
        for (int number = 0; number < 2 * victims; number++) {
            engine.apply(new EngineEvent.WorkloadQueued(world.workload(borrower, 1, 1, 0, now), now), now);
        }
        engine.decide(now);
        engine.apply(new EngineEvent.WorkloadQueued(world.workload(owner, victims, 1, 0, now), now), now);
        long start = System.nanoTime();
        List<Decision> decided = engine.decide(now);
        double took = (System.nanoTime() - start) / 1e6;
        boolean complete = decided.size() == 1
                && decided.getFirst() instanceof Decision.Preempt preempt
                && preempt.victims().size() == victims;
        if (!complete) {
            throw new BenchFailed(
                    victims + " victims were to be taken in one decision, and " + decided.size() + " were made");
        }
        return took;
    }
}
