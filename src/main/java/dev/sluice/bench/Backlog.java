package dev.sluice.bench;

import dev.sluice.platform.EmbeddedDatabase;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A service behind which a great many workloads wait, of ten thousand shapes in one cohort: one workload holds the whole quota for
 * ever. A second queue, in a cohort of its own, is free.
 */
final class Backlog implements AutoCloseable {
    static final String FULL_QUEUE = "full";
    static final String FREE_QUEUE = "free";

    private static final int SHAPES = 10_000;
    private static final int BATCH = 1_000;

    private final EmbeddedDatabase database = EmbeddedDatabase.temporary();
    private final int port = ServiceProcess.freePort();
    private final TemporaryLog log = new TemporaryLog();
    private ServiceProcess service = started();
    private final RestClient rest = new RestClient(service.url());

    private ServiceProcess started() {
        return ServiceProcess.start(database, port, ServiceJvm.asInProduction(), Map.of(), null, log.path());
    }

    RestClient rest() {
        return rest;
    }

    EmbeddedDatabase database() {
        return database;
    }

    ServiceProcess service() {
        return service;
    }

    void killService() throws InterruptedException {
        service.kill();
    }

    void restartService() {
        service = started();
    }

    /** Returns when all of them wait, as the engine sees it. */
    void fill(int count, PrintStream progress) throws InterruptedException {
        service.awaitReady();
        rest.apply(documents());
        submit("holder", FULL_QUEUE, 10, 1, null);
        long start = System.nanoTime();
        try (LoadClient client = new LoadClient(service.url(), 4)) {
            client.run(new Load(count));
        } catch (IOException broken) {
            throw new BenchFailed("the load broke off:\n" + service.endOfLog(), broken);
        }
        while (rest.getPatiently("/api/v1/cluster-queues/" + FULL_QUEUE)
                        .path("status")
                        .path("pending")
                        .asLong()
                < count) {
            TimeUnit.MILLISECONDS.sleep(200);
        }
        progress.println(count + " workloads wait after " + (System.nanoTime() - start) / 1_000_000_000 + " s");
    }

    /** Submits one, which must be accepted; its id. */
    String submit(String name, String queue, int cpu, long memory, @Nullable String duration)
            throws InterruptedException {
        RestClient.Answer answer =
                rest.post("/api/v1/workloads", "application/json", body(name, queue, cpu, memory, duration), Map.of());
        if (answer.status() != 201) {
            throw new BenchFailed("a submission was refused: " + answer.status() + " " + answer.body());
        }
        return answer.json().path("id").asText();
    }

    private static String body(String name, String queue, int cpu, long memory, @Nullable String duration) {
        return String.format(
                Locale.ROOT,
                "{\"name\":\"%s\",\"namespace\":\"bench\",\"queue\":\"%s\",\"podSets\":[{\"name\":\"main\",\"count\":1,"
                        + "\"requests\":{\"cpu\":\"%d\",\"memory\":\"%d\"}}]%s}",
                name,
                queue,
                cpu,
                memory,
                duration == null ? "" : ",\"expectedDuration\":\"" + duration + "\"");
    }

    private static String documents() {
        StringBuilder documents = new StringBuilder("""
                apiVersion: kueue.x-k8s.io/v1beta1
                kind: ResourceFlavor
                metadata: {name: default}
                """);
        for (String queue : new String[] {FULL_QUEUE, FREE_QUEUE}) {
            documents.append(String.format(Locale.ROOT, """
                    ---
                    apiVersion: kueue.x-k8s.io/v1beta1
                    kind: ClusterQueue
                    metadata: {name: %1$s}
                    spec:
                      cohort: cohort-of-%1$s
                      namespaceSelector: {}
                      preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
                      resourceGroups:
                      - coveredResources: [cpu, memory]
                        flavors:
                        - name: default
                          resources:
                          - {name: cpu, nominalQuota: 10}
                          - {name: memory, nominalQuota: 1Ti}
                    ---
                    apiVersion: kueue.x-k8s.io/v1beta1
                    kind: LocalQueue
                    metadata: {name: %1$s, namespace: bench}
                    spec: {clusterQueue: %1$s}
                    """, queue));
        }
        return documents.toString();
    }

    @Override
    public void close() {
        rest.close();
        service.close();
        database.close();
        log.close();
    }

    /** All at once, in batches. */
    private static final class Load implements LoadClient.Source {
        private final int count;
        private int next;

        Load(int count) {
            this.count = count;
        }

        @Override
        public long nextNanos() {
            return next < count ? 0 : Long.MAX_VALUE;
        }

        @Override
        public byte[] next() {
            StringBuilder lines = new StringBuilder();
            for (int item = 0; item < BATCH && next < count; item++, next++) {
                lines.append(body("waiting-" + next, FULL_QUEUE, 1 + next % 10, 1 + next % SHAPES, null))
                        .append('\n');
            }
            return SubmissionLoad.request("/api/v1/workloads:batch", "application/x-ndjson", lines.toString());
        }

        @Override
        public void answered(byte[] request, int status, byte[] body, long latencyNanos) {
            if (status < 200 || status > 299) {
                throw new BenchFailed(
                        "a batch was refused: " + status + " " + new String(body, StandardCharsets.UTF_8));
            }
        }
    }
}
