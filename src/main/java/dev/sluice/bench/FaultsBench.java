package dev.sluice.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Workloads flow while PostgreSQL, and then the fleet, is away for a while; everything must catch up by itself. */
public final class FaultsBench implements Benchmark {
    private final List<Fault> faults;
    private final int awaySeconds;
    private final int workloads;
    private final long seed;

    /** What is taken away. */
    public enum Fault {
        DATABASE,
        FLEET
    }

    public FaultsBench(List<Fault> faults, int awaySeconds, int workloads, long seed) {
        this.faults = List.copyOf(faults);
        this.awaySeconds = awaySeconds;
        this.workloads = workloads;
        this.seed = seed;
    }

    @Override
    public Report run(PrintStream progress) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (Fault fault : faults) {
            rows.addAll(run(fault, progress));
        }
        return new Report(
                "faults",
                new TreeMap<>(Map.of("awaySeconds", awaySeconds, "seed", seed, "workloads", workloads)),
                rows);
    }

    private List<Row> run(Fault fault, PrintStream progress) throws InterruptedException {
        String name = fault == Fault.DATABASE ? "database away" : "fleet away";
        try (FaultWorld world = new FaultWorld();
                WorkloadFlow flow = new WorkloadFlow(world.rest(), workloads, seed)) {
            world.startService().awaitReady();
            world.rest().apply(WorkloadFlow.documents());
            flow.start();
            flow.allow(workloads / 2);
            TimeUnit.SECONDS.sleep(2);
            takeAway(fault, world);
            int before = flow.acknowledgedCount();
            progress.println(name + " for " + awaySeconds + " s; " + before + " acknowledged before");
            flow.allow(workloads - workloads / 2);
            TimeUnit.SECONDS.sleep(awaySeconds);
            int meanwhile = flow.acknowledgedCount() - before;
            long back = System.nanoTime();
            giveBack(fault, world);
            FlowResult result = FlowResult.of(world, flow, progress);
            List<Row> rows = new ArrayList<>(result.rows(name));
            rows.add(Row.told(name + " acknowledged meanwhile", meanwhile, ""));
            rows.add(Row.told(name + " all ended after", (System.nanoTime() - back) / 1e9, "s"));
            return rows;
        }
    }

    private static void takeAway(Fault fault, FaultWorld world) {
        switch (fault) {
            case DATABASE -> world.database().stop();
            case FLEET -> world.fleet().setAway(true);
        }
    }

    private static void giveBack(Fault fault, FaultWorld world) {
        switch (fault) {
            case DATABASE -> world.database().start();
            case FLEET -> world.fleet().setAway(false);
        }
    }
}
