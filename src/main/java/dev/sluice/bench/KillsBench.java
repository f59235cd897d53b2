package dev.sluice.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Workloads flow while the service is killed without warning, again and again, at moments that a seed chooses: some while it
 * starts, most after it acknowledged a few more and a little time passed, so that kills and flow keep step on any machine. Then
 * everything must have ended as if nothing had happened.
 */
public final class KillsBench implements Benchmark {
    private static final double SHARE_DURING_START = 0.2;
    private static final int MORE_MILLIS_MAX = 150;
    private static final long WORK_SECONDS_MAX = 10;
    /** How far the clients may run ahead of the kills. */
    private static final int AHEAD_MAX = 20;

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
            int share = (int) Math.min(workloads, (long) workloads * kill / kills + AHEAD_MAX);
            flow.allow(share - allowed);
            allowed = share;
            int more = random.nextInt(1 + 2 * workloads / kills);
            boolean duringStart = random.nextDouble() < SHARE_DURING_START;
            long millis = random.nextLong(duringStart ? Math.max(1, startMillis) : MORE_MILLIS_MAX);
            if (!duringStart) {
                world.service().awaitReady();
                awaitAcknowledged(flow, Math.min(allowed, flow.acknowledgedCount() + more));
            }
            TimeUnit.MILLISECONDS.sleep(millis);
            world.service().kill();
            if (kill % 10 == 0) {
                progress.println(kill + " kills, " + flow.acknowledgedCount() + " acknowledged");
            }
            world.startService();
        }
        world.service().awaitReady();
    }

    private static void awaitAcknowledged(WorkloadFlow flow, int count) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WORK_SECONDS_MAX);
        while (flow.acknowledgedCount() < count && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }
}
