package dev.sluice.cli;

import dev.sluice.platform.EmbeddedDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The whole product on one machine: embedded PostgreSQL, the simulated fleet, the service and, unless told not to, a demo. */
@Command(
        name = "dev",
        description = "Run everything here: embedded PostgreSQL, a simulated fleet, the service and a demo.")
final class DevCommand implements Callable<Integer> {
    private static final String HOST = "127.0.0.1";
    private static final int PORT_DEFAULT = 8080;
    private static final long END_PATIENCE_SECONDS = 20;
    /** Forty GPUs, as the three teams' quotas are cut for. */
    private static final String DEMO_NODES = "5xgpu nvidia.com/gpu=8,cpu=128,memory=1Ti";

    enum Demo {
        THREE_TEAMS("three-teams", "three teams that share 40 GPUs"),
        NONE("none", "nothing configured and no limit of capacity");

        private final String text;
        private final String inWords;

        Demo(String text, String inWords) {
            this.text = text;
            this.inWords = inWords;
        }

        @Override
        public String toString() {
            return text;
        }

        static final class ByName implements ITypeConverter<Demo> {
            @Override
            public Demo convert(String text) {
                return Arrays.stream(Demo.values())
                        .filter(demo -> demo.text.equals(text))
                        .findFirst()
                        .orElseThrow(() -> new TypeConversionException("there is three-teams, and there is none"));
            }
        }
    }

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "${env:SLUICE_PORT:-8080}",
            description = "Port to listen on, on loopback only. SLUICE_PORT, default 8080.")
    int port;

    @Option(
            names = "--demo",
            paramLabel = "NAME",
            converter = Demo.ByName.class,
            defaultValue = "three-teams",
            description = "three-teams: three teams share 40 GPUs, played in a loop (default). none: nothing is"
                    + " configured and the fleet has no capacity limit.")
    Demo demo = Demo.THREE_TEAMS;

    @Option(
            names = "--speed",
            paramLabel = "FACTOR",
            defaultValue = "60",
            description = "How many seconds of a pod's declared duration pass in one second; default 60.")
    double speed;

    @Option(
            names = "--fair-sharing",
            description = "Divide what can be borrowed by fair shares, with Kueue's default strategies.")
    boolean fairSharing;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Keep the database in this folder; without it, the database is gone at the end.")
    @Nullable Path data;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "Run Jobs on the cluster that this file leads to, instead of the simulated fleet; then there is no"
                            + " demo. Jobs that carry a queue's name are taken in; others are left alone.")
    @Nullable Path kubeconfig;

    @Override
    public Integer call() {
        if (kubeconfig != null && !Files.isReadable(kubeconfig)) {
            throw CommandFailed.wrongUse("--kubeconfig " + kubeconfig + " cannot be read.");
        }
        if (!(speed > 0 && speed <= 1_000_000)) {
            throw CommandFailed.wrongUse("--speed must be more than 0 and at most 1000000, not " + speed + ".");
        }
        ServiceRun.requireFreePort(HOST, port);
        long started = System.nanoTime();
        EmbeddedDatabase database = data == null ? EmbeddedDatabase.temporary() : EmbeddedDatabase.in(data);
        CountDownLatch serviceEnded = endWithProcess(database);
        try {
            return ServiceRun.untilStopped(configuration(database), () -> announce(started));
        } finally {
            serviceEnded.countDown();
            database.close();
        }
    }

    /** On Ctrl-C the service ends first and the database after it, so that nothing is cut off in the middle of its work. */
    private static CountDownLatch endWithProcess(EmbeddedDatabase database) {
        CountDownLatch serviceEnded = new CountDownLatch(1);
        Thread closer = new Thread(
                () -> {
                    try {
                        if (!serviceEnded.await(END_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                            System.err.println(
                                    "sluice: the service did not end in time; the database ends without it.");
                        }
                    } catch (InterruptedException interrupted) {
                        Thread.currentThread().interrupt();
                    }
                    database.close();
                },
                "sluice-dev-closer");
        database.endedByCaller();
        Runtime.getRuntime().addShutdownHook(closer);
        return serviceEnded;
    }

    private Map<String, String> configuration(EmbeddedDatabase database) {
        Map<String, String> configuration = new LinkedHashMap<>();
        configuration.put("quarkus.http.host", HOST);
        configuration.put("quarkus.http.port", Integer.toString(port));
        configuration.put("quarkus.datasource.jdbc.url", database.jdbcUrl());
        configuration.put("quarkus.datasource.username", database.user());
        configuration.put("quarkus.datasource.password", database.password());
        configuration.put("quarkus.log.category.\"org.flywaydb\".level", "WARN");
        configuration.put("sluice.fleet.speed", Double.toString(speed));
        if (kubeconfig != null) {
            configuration.put("sluice.cluster", "kubernetes");
            configuration.put(
                    "sluice.kubernetes.kubeconfig", kubeconfig.toAbsolutePath().toString());
            return configuration;
        }
        configuration.put("sluice.demo.scenario", demo.text);
        configuration.put("sluice.scheduling.fair-sharing.enabled", Boolean.toString(fairSharing));
        if (demo == Demo.THREE_TEAMS) {
            configuration.put("sluice.fleet.nodes", DEMO_NODES);
            // In the fleet's time: with speed 60, a pod takes a third of a second to start and three to end, as one
            // that
            // writes a checkpoint does; long enough to see what is set aside meanwhile.
            configuration.put("sluice.fleet.start-delay", "PT20S");
            configuration.put("sluice.fleet.termination-delay", "PT3M");
            // A Job's manifest does not say how long it takes; what a visitor submits should be seen to end.
            configuration.put("sluice.fleet.run-time-default", "PT10M");
        }
        return configuration;
    }

    private void announce(long started) {
        String url = "http://" + HOST + ":" + port;
        if (kubeconfig != null) {
            announceCluster(started, url);
            return;
        }
        String team = demo == Demo.THREE_TEAMS ? "research" : "my-team";
        System.out.printf(
                """

                Sluice is ready after %d s, with %s.

                  Look     %s/
                  Ask      ./sluice quota%s
                  Submit   curl -s %s/api/v1/workloads -H 'Content-Type: application/json' -d \\
                             '{"name": "hello", "namespace": "%s", "queue": "%s", "expectedDuration": "PT10M",
                               "podSets": [{"name": "main", "count": 1, "requests": {"nvidia.com/gpu": "2"}}]}'
                  API      %s/q/openapi

                Ctrl-C ends everything%s.
                """,
                Duration.ofNanos(System.nanoTime() - started).toSeconds(),
                demo.inWords,
                url,
                port == PORT_DEFAULT ? "" : " --server " + url,
                url,
                team,
                team,
                url,
                data == null ? " and leaves nothing behind" : "; the database stays in " + data);
        System.out.flush();
    }

    private void announceCluster(long started, String url) {
        System.out.printf(
                """

                Sluice is ready after %d s, on the cluster of %s.

                  Look     %s/
                  Set up   ./sluice apply -f k8s/samples/queues.yaml%s
                  Submit   kubectl create -f k8s/samples/job-train.yaml

                Ctrl-C ends Sluice%s. What runs on the cluster goes on running.
                """,
                Duration.ofNanos(System.nanoTime() - started).toSeconds(),
                kubeconfig,
                url,
                port == PORT_DEFAULT ? "" : " --server " + url,
                data == null ? " and leaves no database behind" : "; the database stays in " + data);
        System.out.flush();
    }
}
