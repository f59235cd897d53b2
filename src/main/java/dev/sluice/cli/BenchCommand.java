package dev.sluice.cli;

import dev.sluice.bench.BenchFailed;
import dev.sluice.bench.Benchmark;
import dev.sluice.bench.CommitsBench;
import dev.sluice.bench.EngineBench;
import dev.sluice.bench.FaultsBench;
import dev.sluice.bench.GeneratorBench;
import dev.sluice.bench.GeneratorBench.Policies;
import dev.sluice.bench.KillsBench;
import dev.sluice.bench.PendingPageBench;
import dev.sluice.bench.Report;
import dev.sluice.bench.RestartBench;
import dev.sluice.bench.SimulateBench;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the product against a database and a service of its own; nothing that runs already is touched. */
@Command(
        name = "bench",
        description = "Measure the product, or see it survive faults, on this machine.",
        subcommands = {
            BenchCommand.Generator.class,
            BenchCommand.Commits.class,
            BenchCommand.Core.class,
            BenchCommand.Simulate.class,
            BenchCommand.Restart.class,
            BenchCommand.PendingPage.class,
            BenchCommand.Kills.class,
            BenchCommand.Faults.class,
        },
        footer = {
            "",
            "Each brings along the PostgreSQL that it needs. Exit code 1: a target was missed.",
        })
final class BenchCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        throw CommandFailed.wrongUse("bench needs the name of a benchmark. See: ./sluice help bench");
    }

    /** What every benchmark does with its report. */
    abstract static class Run implements Callable<Integer> {
        @Option(names = "--json", description = "Print one JSON object, and nothing else, on standard output.")
        boolean json;

        abstract Benchmark benchmark();

        @Override
        public Integer call() throws InterruptedException {
            try {
                Report report = benchmark().run(System.err);
                System.out.println(json ? report.json() : report.table());
                return report.allTargetsMet() ? SluiceCommand.DONE : SluiceCommand.FAILED;
            } catch (BenchFailed failed) {
                throw CommandFailed.failed(String.valueOf(failed.getMessage()));
            }
        }
    }

    @Command(name = "generator", description = "Replay the load of Kueue's own performance test over REST.")
    static final class Generator extends Run {
        @Option(
                names = "--config",
                paramLabel = "NAME",
                defaultValue = "baseline",
                description = "baseline (15,000 workloads, 30 queues) or large-scale (50,000 workloads, 1,000 queues).")
        String config = "baseline";

        @Option(
                names = "--submit",
                paramLabel = "HOW",
                defaultValue = "single",
                description = "single (a POST for each) or batch.")
        String submit = "single";

        @Option(
                names = "--policies",
                paramLabel = "WHICH",
                description = "parity, default or both. Default: both for baseline, default for large-scale.")
        String policies = "";

        @Option(
                names = "--connections",
                paramLabel = "N",
                defaultValue = "128",
                description = "Connections of the load's client. Default: ${DEFAULT-VALUE}.")
        int connections;

        @Option(
                names = "--rounds",
                paramLabel = "N",
                defaultValue = "1",
                description = "How often the load is played to the same service; from the second on it is warm."
                        + " Default: ${DEFAULT-VALUE}.")
        int rounds;

        @Override
        Benchmark benchmark() {
            if (rounds < 1) {
                throw CommandFailed.wrongUse("--rounds must be at least 1, not " + rounds + ".");
            }
            if (!List.of("single", "batch").contains(submit)) {
                throw CommandFailed.wrongUse("--submit must be single or batch, not " + submit + ".");
            }
            try {
                return new GeneratorBench(config, submit.equals("batch"), runs(), connections, rounds);
            } catch (IllegalArgumentException unknown) {
                throw CommandFailed.wrongUse(String.valueOf(unknown.getMessage()));
            }
        }

        private List<Policies> runs() {
            String which = policies.isEmpty() ? (config.equals("baseline") ? "both" : "default") : policies;
            return which.equals("both")
                    ? List.of(Policies.PARITY, Policies.DEFAULT)
                    : Stream.of(Policies.values())
                            .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(which))
                            .toList();
        }
    }

    @Command(name = "commits", description = "Measure how many admissions a second the store makes durable.")
    static final class Commits extends Run {
        @Option(names = "--workloads", defaultValue = "100000", description = "How many. Default: ${DEFAULT-VALUE}.")
        int workloads;

        @Option(names = "--batch", defaultValue = "1000", description = "In one commit. Default: ${DEFAULT-VALUE}.")
        int batchSize;

        @Override
        Benchmark benchmark() {
            return new CommitsBench(workloads, batchSize);
        }
    }

    @Command(
            name = "engine",
            description = "Measure the core alone: decisions a second, what an event costs, large preemptions, heap.")
    static final class Core extends Run {
        @Option(
                names = "--config",
                paramLabel = "NAME",
                defaultValue = "large-scale",
                description = "baseline or large-scale. Default: ${DEFAULT-VALUE}.")
        String config = "large-scale";

        @Option(names = "--quick", description = "Small sizes that end within about a minute, and are not judged.")
        boolean quick;

        @Override
        Benchmark benchmark() {
            try {
                return new EngineBench(config, quick);
            } catch (IllegalArgumentException unknown) {
                throw CommandFailed.wrongUse(String.valueOf(unknown.getMessage()));
            }
        }
    }

    @Command(
            name = "simulate",
            description = "Let random worlds live, and check after each step what must always hold.")
    static final class Simulate extends Run {
        @Option(names = "--steps", defaultValue = "2000000", description = "In all worlds. Default: ${DEFAULT-VALUE}.")
        long steps;

        @Option(names = "--seed", defaultValue = "1", description = "Of the first world. Default: ${DEFAULT-VALUE}.")
        long seed;

        @Override
        Benchmark benchmark() {
            if (steps < 1) {
                throw CommandFailed.wrongUse("--steps must be at least 1, not " + steps + ".");
            }
            return new SimulateBench(steps, seed);
        }
    }

    @Command(name = "restart", description = "Measure the time from a start to the first decision.")
    static final class Restart extends Run {
        @Option(names = "--waiting", defaultValue = "100000", description = "How many wait. Default: ${DEFAULT-VALUE}.")
        int waiting;

        @Option(names = "--restarts", defaultValue = "5", description = "How often. Default: ${DEFAULT-VALUE}.")
        int restarts;

        @Override
        Benchmark benchmark() {
            return new RestartBench(waiting, restarts);
        }
    }

    @Command(
            name = "pending-page",
            description = "Measure pages of waiting workloads and explanations while many wait.")
    static final class PendingPage extends Run {
        @Option(names = "--waiting", defaultValue = "100000", description = "How many wait. Default: ${DEFAULT-VALUE}.")
        int waiting;

        @Option(names = "--questions", defaultValue = "500", description = "Of each kind. Default: ${DEFAULT-VALUE}.")
        int questions;

        @Override
        Benchmark benchmark() {
            return new PendingPageBench(waiting, questions);
        }
    }

    @Command(
            name = "kills",
            description = "Kill the service again and again while workloads flow; nothing may be lost.")
    static final class Kills extends Run {
        @Option(names = "--kills", defaultValue = "100", description = "How often. Default: ${DEFAULT-VALUE}.")
        int kills;

        @Option(names = "--workloads", defaultValue = "500", description = "How many flow. Default: ${DEFAULT-VALUE}.")
        int workloads;

        @Option(names = "--seed", defaultValue = "1", description = "Of the moments. Default: ${DEFAULT-VALUE}.")
        long seed;

        @Override
        Benchmark benchmark() {
            return new KillsBench(kills, workloads, seed);
        }
    }

    @Command(name = "faults", description = "Take the database, then the fleet, away while workloads flow.")
    static final class Faults extends Run {
        @Option(names = "--away", defaultValue = "10", description = "For how many seconds. Default: ${DEFAULT-VALUE}.")
        int awaySeconds;

        @Option(names = "--workloads", defaultValue = "200", description = "How many flow. Default: ${DEFAULT-VALUE}.")
        int workloads;

        @Option(names = "--seed", defaultValue = "1", description = "Of the workloads. Default: ${DEFAULT-VALUE}.")
        long seed;

        @Override
        Benchmark benchmark() {
            return new FaultsBench(List.of(FaultsBench.Fault.values()), awaySeconds, workloads, seed);
        }
    }
}
