package dev.sluice.bench;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.FairSharing;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The core alone, on one thread: no store, no cluster, no text. Preemption and fair sharing are on. */
public final class EngineBench implements Benchmark {
    private static final int RUNS = 5;
    private static final int RUNS_IF_QUICK = 1;

    private final GeneratorPlan plan;
    private final boolean quick;

    /**
     * @param config the generator whose load is replayed
     * @param quick sizes that end within about a minute and show that everything works, not how fast it is
     * @throws IllegalArgumentException for a generator that does not exist
     */
    public EngineBench(String config, boolean quick) {
        plan = GeneratorPlan.named(config);
        this.quick = quick;
    }

    @Override
    public Report run(PrintStream progress) {
        AdmissionSettings settings = AdmissionSettings.defaults().with(FairSharing.ON);
        List<Row> rows = new ArrayList<>();
        int runs = quick ? RUNS_IF_QUICK : RUNS;
        rows.addAll(new EngineReplay(plan, settings, "fair sharing", runs).rows(progress));
        if (!quick) {
            rows.addAll(new EngineReplay(plan, AdmissionSettings.defaults(), "without", runs).rows(progress));
        }
        rows.addAll(new EngineEvents(settings, quick).rows(progress));
        rows.addAll(new EngineVictims(quick).rows(progress));
        return new Report("engine", new TreeMap<>(Map.of("config", plan.name(), "runs", runs, "quick", quick)), rows);
    }
}
