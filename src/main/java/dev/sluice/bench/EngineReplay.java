package dev.sluice.bench;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.bench.GeneratorPlan.Arrival;
import dev.sluice.quota.Configuration;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** A generator's load in virtual time, as fast as the engine takes it. Pods are ready at once, run for their time and are gone at once. */
final class EngineReplay {
    /** As many as it takes until the compiler has nothing left to do. */
    private static final int WARM_UPS = 10;

    private static final double DECISIONS_PER_SECOND_MIN = 300_000;

    private final GeneratorPlan plan;
    private final AdmissionSettings settings;
    private final String policies;
    private final int runs;

    /** @param policies what the rows call the settings */
    EngineReplay(GeneratorPlan plan, AdmissionSettings settings, String policies, int runs) {
        this.plan = plan;
        this.settings = settings;
        this.policies = policies;
        this.runs = runs;
    }

    List<Row> rows(PrintStream progress) {
        Configuration configuration = GeneratorConfiguration.of(plan);
        List<Workload> workloads = new ArrayList<>(plan.workloadCount());
        for (Arrival arrival : plan.arrivals()) {
            Instant created = Instant.EPOCH.plusNanos(arrival.dueNanos());
            workloads.add(GeneratorConfiguration.workload(arrival, workloads.size() + 1L, created));
        }
        List<Replayed> replays = new ArrayList<>();
        for (int run = 0; run < WARM_UPS + runs; run++) {
            Replayed replayed = new Simulation(settings, configuration, workloads).run();
            progress.println(plan.name() + ", " + policies + ": " + replayed);
            replays.add(replayed);
        }
        Replayed first = replays.getFirst();
        List<Replayed> measured = new ArrayList<>(replays.subList(WARM_UPS, replays.size()));
        measured.sort(Comparator.comparingDouble(Replayed::seconds));
        Replayed median = measured.get(runs / 2);
        double decisionsPerSecond = median.decisions / median.seconds;
        String of = plan.name() + ", " + policies + ": ";
        return List.of(
                plan.name().equals("large-scale")
                        ? Row.atLeast(of + "decisions", decisionsPerSecond, "1/s", DECISIONS_PER_SECOND_MIN)
                        : Row.told(of + "decisions", decisionsPerSecond, "1/s"),
                Row.told(of + "admissions", median.admissions / median.seconds, "1/s"),
                Row.told(of + "processor time, median", median.seconds, "s"),
                Row.told(of + "processor time, least", measured.getFirst().seconds, "s"),
                Row.told(of + "processor time, most", measured.getLast().seconds, "s"),
                Row.told(of + "processor time, the first run of all", first.seconds, "s"),
                Row.told(of + "evictions", median.evictions, ""),
                Row.told(of + "makespan in virtual time", median.makespanSeconds, "s"));
    }

    private record Replayed(double seconds, int decisions, int admissions, int evictions, double makespanSeconds) {}

    /** @param run which admission of the workload ends then; an eviction in between voids it */
    private record End(Instant at, WorkloadId workload, int run) {}

    private static final class Simulation {
        private final List<Workload> workloads;
        private final Map<WorkloadId, Duration> runTimes = new HashMap<>();
        private final Map<WorkloadId, Integer> runs = new HashMap<>();
        private final PriorityQueue<End> ends =
                new PriorityQueue<>(Comparator.comparing(End::at).thenComparing(End::workload));
        private final Engine engine;
        private int decisions;
        private int admissions;
        private int evictions;

        Simulation(AdmissionSettings settings, Configuration configuration, List<Workload> workloads) {
            this.workloads = workloads;
            engine = new Engine(settings);
            engine.apply(new EngineEvent.ConfigurationReplaced(configuration), Instant.EPOCH);
            engine.decide(Instant.EPOCH);
            for (Workload workload : workloads) {
                Duration expected = workload.expectedDuration();
                runTimes.put(workload.id(), expected == null ? Duration.ZERO : expected);
            }
        }

        Replayed run() {
            long start = processorNanos();
            int next = 0;
            Instant now = Instant.EPOCH;
            while (next < workloads.size() || !ends.isEmpty()) {
                End end = ends.peek();
                now = next < workloads.size()
                                && (end == null
                                        || workloads.get(next).createdAt().isBefore(end.at))
                        ? workloads.get(next).createdAt()
                        : ends.element().at;
                for (End due = ends.peek(); due != null && !due.at.isAfter(now); due = ends.peek()) {
                    ends.remove();
                    if (runs.getOrDefault(due.workload, 0) == due.run) {
                        engine.apply(new EngineEvent.WorkloadFinished(due.workload, true), now);
                    }
                }
                while (next < workloads.size()
                        && !workloads.get(next).createdAt().isAfter(now)) {
                    engine.apply(new EngineEvent.WorkloadQueued(workloads.get(next++), now), now);
                }
                decide(now);
            }
            return new Replayed(
                    (processorNanos() - start) / 1e9,
                    decisions,
                    admissions,
                    evictions,
                    Duration.between(Instant.EPOCH, now).toNanos() / 1e9);
        }

        /** Of this thread: what else runs on the machine does not count. */
        private static long processorNanos() {
            return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        }

        /** Until nothing more follows from what was decided. */
        private void decide(Instant now) {
            List<Decision> decided = engine.decide(now);
            while (!decided.isEmpty()) {
                decisions += decided.size();
                for (Decision decision : decided) {
                    follow(decision, now);
                }
                decided = engine.decide(now);
            }
        }

        private void follow(Decision decision, Instant now) {
            switch (decision) {
                case Decision.Admit admit -> {
                    admissions++;
                    int run = runs.merge(admit.workload(), 1, Integer::sum);
                    ends.add(new End(
                            now.plus(runTimes.getOrDefault(admit.workload(), Duration.ZERO)), admit.workload(), run));
                    engine.apply(new EngineEvent.PodsReady(admit.workload()), now);
                }
                case Decision.Preempt preempt -> preempt.victims().forEach(victim -> gone(victim.workload(), now));
                case Decision.Evict evict -> gone(evict.workload(), now);
                case Decision.Become become -> {
                    // follows from what was applied
                }
                case Decision.Reserve reserve -> throw new IllegalStateException("nothing is checked here: " + reserve);
                case Decision.Unreserve unreserve ->
                    throw new IllegalStateException("nothing is checked here: " + unreserve);
                case Decision.ChangeChecks change ->
                    throw new IllegalStateException("nothing is checked here: " + change);
                case Decision.ScheduleStop stop -> {
                    // it runs on until it is evicted
                }
                case Decision.Stuck stuck ->
                    throw new IllegalStateException("whoever leaves is gone at once here: " + stuck);
                case Decision.DropEarmark drop -> {
                    // the preemptor waits again
                }
            }
        }

        private void gone(WorkloadId victim, Instant now) {
            evictions++;
            runs.merge(victim, 1, Integer::sum);
            engine.apply(new EngineEvent.PodsGone(victim), now);
        }
    }
}
