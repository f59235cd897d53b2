package dev.sluice.bench;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.EngineEvent;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What one event costs, from its arrival to the last decision that follows from it, with so many waiting, of so many shapes, in so
 * many queues of one cohort. Quota is full; by turns the longest running workload ends and another is submitted, so the number of
 * those that wait stays about the same. Whatever an event sets going is part of it: admissions, preemptions, victims that are gone.
 * And once more when whoever stands first in its queue has waited for so long that it keeps what it needs from those behind it.
 */
final class EngineEvents {
    private static final double P99_MILLIS_MAX = 2;
    private static final double GROWTH_MAX = 2;
    private static final double HEAP_MIB_MAX = 1536;
    private static final int EVENTS_MOST = 4_000;
    private static final int EVENTS_LEAST = 10;
    private static final long SECONDS_MOST = 4;

    private final AdmissionSettings settings;
    private final boolean quick;

    EngineEvents(AdmissionSettings settings, boolean quick) {
        this.settings = settings;
        this.quick = quick;
    }

    /** @param queues all in one cohort */
    record Size(int waiting, int shapes, int queues) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%,d waiting of %,d shapes in %,d queues", waiting, shapes, queues);
        }
    }

    /** Of one size; times are in microseconds, heap in MiB with all that wait. */
    record Cost(double mean, double p50, double p99, double heap) {}

    List<Row> rows(PrintStream progress) {
        List<Row> rows = new ArrayList<>();
        int base = quick ? 1_000 : 100_000;
        Size large = new Size(base, quick ? 100 : 10_000, 10);
        double p99 = cost(large, rows, progress).p99() / 1000;
        rows.add(judged("event to decision, p99, " + large, p99, "ms", P99_MILLIS_MAX));

        List<Cost> byWaiting = new ArrayList<>();
        for (int waiting : quick ? new int[] {1_000, 10_000} : new int[] {1_000, 10_000, 100_000, 1_000_000}) {
            byWaiting.add(cost(new Size(waiting, quick ? 10 : 100, 10), rows, progress));
        }
        rows.add(growth("waiting", byWaiting));
        rows.add(judged("heap of the most that wait", byWaiting.getLast().heap(), "MiB", HEAP_MIB_MAX));
        for (int shapes : quick ? new int[] {1} : new int[] {1, 10, 1_000}) {
            cost(new Size(base, shapes, 10), rows, progress);
        }
        List<Cost> byQueues = new ArrayList<>(List.of(byWaiting.get(quick ? 0 : 2)));
        for (int queues : quick ? new int[] {50} : new int[] {100, 2_000}) {
            byQueues.add(cost(new Size(base, quick ? 10 : 100, queues), rows, progress));
        }
        rows.add(growth("queues", byQueues));
        return rows;
    }

    /** Small sizes prove nothing about large ones, so quick runs tell and do not judge. */
    private Row judged(String name, double value, String unit, double most) {
        return quick ? Row.told(name, value, unit) : Row.atMost(name, value, unit, most);
    }

    private Row growth(String over, List<Cost> costs) {
        double growth = costs.getLast().mean() / costs.getFirst().mean();
        return judged("growth of the mean from the fewest to the most " + over, growth, "x", GROWTH_MAX);
    }

    private Cost cost(Size size, List<Row> rows, PrintStream progress) {
        long heapBefore = heapInUse();
        EngineWorld world = new EngineWorld(size.queues, size.shapes, 1);
        EngineRun run = new EngineRun(settings, world.configuration());
        for (int number = 0; number < size.waiting; number++) {
            run.queue(world.any(run.now()));
        }
        run.decide();
        double heap = Math.max(0, heapInUse() - heapBefore) / (1024.0 * 1024);
        events(run, world);
        long decisions = run.decisions();
        Distribution micros = events(run, world);
        Cost cost = new Cost(micros.mean(), micros.percentile(0.5), micros.percentile(0.99), heap);
        progress.println(size + ": " + cost + ", " + (run.decisions() - decisions) + " decisions on " + micros.count()
                + " events, " + run.evictions() + " evictions in all");
        rows.add(Row.told("event, mean, " + size, cost.mean(), "us"));
        rows.add(Row.told("event, p50, " + size, cost.p50(), "us"));
        rows.add(Row.told("event, p99, " + size, cost.p99(), "us"));
        run.pass(settings.orderKeeping().guardAfter());
        events(run, world);
        Distribution guarded = events(run, world);
        progress.println(size + ", fronts keep their room: mean " + guarded.mean() + " on " + guarded.count());
        rows.add(Row.told("event, mean, fronts keep their room, " + size, guarded.mean(), "us"));
        return cost;
    }

    private static Distribution events(EngineRun run, EngineWorld world) {
        Distribution micros = new Distribution();
        long end = System.nanoTime() + SECONDS_MOST * 1_000_000_000L / 2;
        while (micros.count() < EVENTS_MOST && (micros.count() < EVENTS_LEAST || System.nanoTime() < end)) {
            micros.add(run.decide(new EngineEvent.WorkloadFinished(run.oldest(), true)) / 1000.0);
            micros.add(run.decide(new EngineEvent.WorkloadQueued(world.any(run.now()), run.now())) / 1000.0);
        }
        return micros;
    }

    private static long heapInUse() {
        Runtime runtime = Runtime.getRuntime();
        long used = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            System.gc();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }
}
