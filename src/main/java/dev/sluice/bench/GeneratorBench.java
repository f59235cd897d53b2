package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.bench.GeneratorPlan.WorkloadClass;
import dev.sluice.platform.EmbeddedDatabase;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Kueue's performance load, replayed through REST and PostgreSQL: its own database, the service as a process of its own, pods of
 * a simulated fleet without limit of capacity that run for their time and stop at once.
 */
public final class GeneratorBench implements Benchmark {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final double LARGE_WAIT_SECONDS_MAX = 5;

    private final GeneratorPlan plan;
    private final boolean batched;
    private final List<Policies> policies;
    private final int connections;
    private final int rounds;

    /** Which of the engine's settings a run uses. */
    public enum Policies {
        PARITY("kueue-parity"),
        DEFAULT("default");

        private final String property;

        Policies(String property) {
            this.property = property;
        }
    }

    /**
     * @param config {@code baseline} or {@code large-scale}
     * @param batched all workloads that are due in one request, instead of a request for each
     * @param policies one run each
     * @param rounds how often the same load is played to the same service: the first finds a JVM that has just started, as Kueue's
     *     harness does not, the others one that has compiled what it runs
     * @throws IllegalArgumentException if there is no such configuration
     */
    public GeneratorBench(String config, boolean batched, List<Policies> policies, int connections, int rounds) {
        this.plan = GeneratorPlan.named(config);
        this.batched = batched;
        this.policies = List.copyOf(policies);
        this.connections = connections;
        this.rounds = rounds;
    }

    @Override
    public Report run(PrintStream progress) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.told(plan.name() + " work bound", plan.workBoundSeconds(), "s"));
        for (Policies each : policies) {
            rows.addAll(run(each, progress));
        }
        Map<String, Object> settings = new TreeMap<>();
        settings.put("config", plan.name());
        settings.put("submit", batched ? "batch" : "single");
        settings.put("connections", connections);
        settings.put("workloads", plan.workloadCount());
        settings.put("queues", plan.queueCount());
        return new Report("generator", new TreeMap<>(settings), rows);
    }

    private List<Row> run(Policies each, PrintStream progress) throws InterruptedException {
        try (TemporaryLog log = new TemporaryLog();
                EmbeddedDatabase database = EmbeddedDatabase.temporary();
                ServiceProcess service = ServiceProcess.start(
                        database,
                        ServiceProcess.freePort(),
                        ServiceJvm.asInProduction(),
                        Map.of("sluice.scheduling.policies", each.property),
                        null,
                        log.path());
                RestClient rest = new RestClient(service.url())) {
            service.awaitReady();
            for (String documents : plan.documents()) {
                rest.apply(documents);
            }
            List<Row> rows = new ArrayList<>();
            for (int round = 1; round <= rounds; round++) {
                rows.addAll(round(each, round, service, rest, progress));
            }
            return rows;
        }
    }

    private List<Row> round(Policies each, int round, ServiceProcess service, RestClient rest, PrintStream progress)
            throws InterruptedException {
        progress.println(plan.name() + ", " + each.property + ", round " + round + ": submitting "
                + plan.workloadCount() + " workloads");
        double cpuBefore = service.cpuSeconds();
        Instant start = Instant.now();
        SubmissionLoad load = submit(service);
        double submitted = seconds(start, Instant.now());
        progress.println("submitted in " + submitted + " s");
        awaitEnd(rest, service, (long) round * plan.workloadCount(), progress);
        double cpu = service.cpuSeconds() - cpuBefore;
        Outcome outcome = new Outcome(plan, start);
        rest.eachWorkload(outcome::add);
        return rows(each, round, start, submitted, load, outcome, cpu, service.memoryPeakMiB());
    }

    private SubmissionLoad submit(ServiceProcess service) {
        SubmissionLoad load = new SubmissionLoad(plan.arrivals(), batched);
        try (LoadClient client = new LoadClient(service.url(), batched ? 4 : connections)) {
            client.run(load);
        } catch (IOException broken) {
            throw new BenchFailed("the load broke off:\n" + service.endOfLog(), broken);
        }
        if (load.refusal() != null) {
            throw new BenchFailed("a submission was refused: " + load.refusal());
        }
        return load;
    }

    private void awaitEnd(RestClient rest, ServiceProcess service, long all, PrintStream progress)
            throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long ended = rest.count("SUCCEEDED");
        while (ended < all) {
            if (System.nanoTime() > deadline) {
                throw new BenchFailed("only " + ended + " of " + all + " ended within " + PATIENCE.toMinutes()
                        + " minutes:\n" + service.endOfLog());
            }
            TimeUnit.MILLISECONDS.sleep(500);
            ended = rest.count("SUCCEEDED");
        }
        progress.println("all " + ended + " ended");
    }

    private List<Row> rows(
            Policies each,
            int round,
            Instant start,
            double submitted,
            SubmissionLoad load,
            Outcome outcome,
            double cpu,
            double memoryMiB) {
        String prefix = plan.name() + " " + (each == Policies.PARITY ? "parity" : "default") + " "
                + (round == 1 ? "" : "again ");
        List<Row> rows = new ArrayList<>();
        rows.add(wall(prefix + "wall", each, seconds(start, outcome.lastEnd)));
        rows.add(Row.told(prefix + "all submitted after", submitted, "s"));
        outcome.waits.forEach((name, waits) -> {
            String row = prefix + name + " time to admission";
            rows.addAll(waits.rows(row, "s"));
            if (name.equals("large") && each == Policies.DEFAULT && plan.name().equals("baseline")) {
                rows.add(Row.atMost(prefix + "large mean wait", waits.mean(), "s", LARGE_WAIT_SECONDS_MAX));
            }
        });
        rows.add(Row.told(prefix + "use of quota", outcome.useOfQuota(start), "%"));
        rows.add(Row.told(prefix + "evictions", (double) outcome.evictions, ""));
        rows.addAll(load.latencyMillis().rows(prefix + "submission", "ms"));
        rows.add(Row.told(prefix + "requests", (double) load.requests(), ""));
        rows.add(Row.told(prefix + "service processor time", cpu, "s"));
        rows.add(Row.told(prefix + "service memory peak", memoryMiB, "MiB"));
        return rows;
    }

    /** The targets that were set: two for the baseline, two for large-scale by how it is submitted. */
    private Row wall(String name, Policies each, double seconds) {
        if (plan.name().equals("baseline")) {
            return batched
                    ? Row.told(name, seconds, "s")
                    : Row.atMost(name, seconds, "s", each == Policies.PARITY ? 82 : 76);
        }
        return Row.atMost(name, seconds, "s", batched ? 10 : 15);
    }

    private static double seconds(Instant from, Instant to) {
        return Duration.between(from, to).toMillis() / 1000.0;
    }

    /** What the workloads tell of their lives. */
    private static final class Outcome {
        private final GeneratorPlan plan;
        private final Map<String, Distribution> waits = new LinkedHashMap<>();
        private Instant lastEnd = Instant.MIN;
        private double cpuSeconds;
        private long evictions;
        private final Instant since;

        /** @param since when the round began; what was submitted before belongs to another */
        Outcome(GeneratorPlan plan, Instant since) {
            this.plan = plan;
            this.since = since;
            plan.classes().forEach(each -> waits.put(each.name(), new Distribution()));
        }

        void add(JsonNode workload) {
            if (Instant.parse(workload.path("createdAt").asText()).isBefore(since)) {
                return;
            }
            String className = workload.path("priorityClass").asText();
            if (className.isEmpty()) {
                className = workload.path("name").asText().replaceFirst("-.*", "");
            }
            Instant admitted = Instant.parse(workload.path("admittedAt").asText());
            Instant finished = Instant.parse(workload.path("finishedAt").asText());
            Distribution wait = waits.get(className);
            if (wait == null) {
                throw new BenchFailed("a workload of no class: " + workload);
            }
            wait.add(Duration.between(Instant.parse(workload.path("createdAt").asText()), admitted)
                            .toNanos()
                    / 1e9);
            lastEnd = finished.isAfter(lastEnd) ? finished : lastEnd;
            evictions += workload.path("evictions").size();
            cpuSeconds += Duration.between(admitted, finished).toNanos() / 1e9 * cpuOf(className);
        }

        private int cpuOf(String className) {
            return plan.classes().stream()
                    .filter(each -> each.name().equals(className))
                    .mapToInt(WorkloadClass::cpu)
                    .sum();
        }

        /** Of work that ended; what evicted work had used is lost and not counted. */
        double useOfQuota(Instant start) {
            return 100 * cpuSeconds / (plan.queueCount() * GeneratorPlan.NOMINAL_CPU * seconds(start, lastEnd));
        }
    }
}
