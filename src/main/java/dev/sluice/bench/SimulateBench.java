package dev.sluice.bench;

import dev.sluice.simulation.BrokenInvariant;
import dev.sluice.simulation.Simulation;
import dev.sluice.simulation.Simulation.Totals;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Random worlds live through random events under all invariants, one seed after the other, until enough steps were taken. */
public final class SimulateBench implements Benchmark {
    private static final int STEPS_OF_A_WORLD = 100;
    private static final int PROGRESS_EVERY = 500;

    private final long steps;
    private final long seed;

    /** @param seed of the first world; the next has the next */
    public SimulateBench(long steps, long seed) {
        this.steps = steps;
        this.seed = seed;
    }

    @Override
    public Report run(PrintStream progress) {
        Totals totals = Totals.NONE;
        long worlds = 0;
        long broken = 0;
        while (totals.steps() < steps && broken == 0) {
            try {
                totals = totals.plus(Simulation.live(seed + worlds, STEPS_OF_A_WORLD));
            } catch (BrokenInvariant invariant) {
                broken++;
                progress.println(invariant.getMessage());
            }
            worlds++;
            if (worlds % PROGRESS_EVERY == 0) {
                progress.println(worlds + " worlds, " + totals.steps() + " steps");
            }
        }
        return new Report(
                "simulate",
                new TreeMap<>(Map.of("steps", steps, "seed", seed)),
                List.of(
                        Row.told("worlds", (double) worlds, ""),
                        Row.told("steps, all invariants checked after each", (double) totals.steps(), ""),
                        Row.told("admissions", (double) totals.admissions(), ""),
                        Row.told("victims", (double) totals.evictions(), ""),
                        Row.told("earmarks", (double) totals.earmarks(), ""),
                        Row.told("victims that did not end in time", (double) totals.stuck(), ""),
                        Row.told("changes of explanations tried", (double) totals.changesTried(), ""),
                        Row.atMost("broken invariants", (double) broken, "", 0)));
    }
}
