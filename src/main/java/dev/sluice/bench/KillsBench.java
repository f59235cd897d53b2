package dev.sluice.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Workloads flow while the service is killed without warning, again and again, at moments that a seed chooses: some while it
 * starts, most while it works. Then everything must have ended as if nothing had happened.
 */
public final class KillsBench implements Benchmark {
    private static final double SHARE_DURING_START = 0.2;
    private static final int WORK_MILLIS_MAX = 600;

    private final int kills;
    private final int workloads;
    private final long seed;

    public KillsBench(int kills, int workloads, long seed) {
        this.kills = kills;
        this.workloads = workloads;
        this.seed = seed;
    }

    @Override
    public Report run(PrintStream progress) throws InterruptedException {
        try (FaultWorld world = new FaultWorld();
                WorkloadFlow flow = new WorkloadFlow(world.rest(), workloads, seed)) {
            world.rehearse();
            long started = System.nanoTime();
            world.startService().awaitReady();
            long startMillis = (System.nanoTime() - started) / 1_000_000;
            world.rest().apply(WorkloadFlow.documents());
            flow.start();
            kill(world, flow, startMillis, progress);
            FlowResult result = FlowResult.of(world, flow, progress);
            Map<String, Object> settings = new TreeMap<>();
            settings.put("kills", kills);
            settings.put("workloads", workloads);
            settings.put("seed", seed);
            List<Row> rows = result.rows("kills");
            rows.add(Row.told("service start", startMillis / 1000.0, "s"));
            rows.add(Row.told("whole run", (System.nanoTime() - started) / 1e9, "s"));
            return new Report("kills", new TreeMap<>(settings), rows);
        }
    }

    private void kill(FaultWorld world, WorkloadFlow flow, long startMillis, PrintStream progress)
            throws InterruptedException {
        Random random = new Random(seed);
        int allowed = 0;
        for (int kill = 1; kill <= kills; kill++) {
            int share = (int) ((long) workloads * kill / kills);
            flow.allow(share - allowed);
            allowed = share;
            if (random.nextDouble() < SHARE_DURING_START) {
                TimeUnit.MILLISECONDS.sleep(random.nextLong(Math.max(1, startMillis)));
            } else {
                world.service().awaitReady();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(WORK_MILLIS_MAX));
            }
            world.service().kill();
            if (kill % 10 == 0) {
                progress.println(kill + " kills, " + flow.acknowledgedCount() + " acknowledged");
            }
            world.startService();
        }
        world.service().awaitReady();
    }
}
