package dev.sluice.bench;

import dev.sluice.bench.RestClient.Answer;
import dev.sluice.bench.RestClient.ServiceAway;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Workloads of three queues that borrow from and preempt each other, submitted by clients that do as clients should: they send
 * each with a key of its own, again and again until it is acknowledged, and remember the id that they were told.
 */
final class WorkloadFlow implements AutoCloseable {
    static final int QUEUE_CPU = 8;
    static final int QUEUE_COUNT = 3;

    private static final int CLIENT_COUNT = 4;
    private static final long RETRY_MILLIS = 50;

    private final RestClient rest;
    private final String[] bodies;
    private final Semaphore allowed = new Semaphore(0);
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicLong retries = new AtomicLong();
    private final SortedMap<String, String> acknowledged = Collections.synchronizedSortedMap(new TreeMap<>());
    private final CountDownLatch clients = new CountDownLatch(CLIENT_COUNT);
    private volatile @Nullable String refusal;
    private volatile boolean closed;

    WorkloadFlow(RestClient rest, int count, long seed) {
        this.rest = rest;
        this.bodies = new String[count];
        Random random = new Random(seed);
        for (int number = 0; number < count; number++) {
            bodies[number] = body(number, random);
        }
    }

    static String documents() {
        StringBuilder documents = new StringBuilder("""
                apiVersion: kueue.x-k8s.io/v1beta1
                kind: ResourceFlavor
                metadata: {name: default}
                ---
                apiVersion: kueue.x-k8s.io/v1beta1
                kind: WorkloadPriorityClass
                metadata: {name: high}
                value: 100
                """);
        for (int queue = 0; queue < QUEUE_COUNT; queue++) {
            documents.append(String.format(Locale.ROOT, """
                    ---
                    apiVersion: kueue.x-k8s.io/v1beta1
                    kind: ClusterQueue
                    metadata: {name: queue-%1$d}
                    spec:
                      cohort: flow
                      namespaceSelector: {}
                      preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
                      resourceGroups:
                      - coveredResources: [cpu]
                        flavors:
                        - name: default
                          resources:
                          - {name: cpu, nominalQuota: %2$d}
                    ---
                    apiVersion: kueue.x-k8s.io/v1beta1
                    kind: LocalQueue
                    metadata: {name: queue-%1$d, namespace: flow}
                    spec: {clusterQueue: queue-%1$d}
                    """, queue, QUEUE_CPU));
        }
        return documents.toString();
    }

    private static String body(int number, Random random) {
        return String.format(
                Locale.ROOT,
                """
                {"name":"%s","namespace":"flow","queue":"queue-%d"%s,"podSets":[{"name":"main","count":%d,\
                "requests":{"cpu":"%d"}}],"expectedDuration":"PT%.3fS"}""",
                name(number),
                random.nextInt(QUEUE_COUNT),
                random.nextInt(5) == 0 ? ",\"priorityClass\":\"high\"" : "",
                1 + random.nextInt(2),
                1 + random.nextInt(4),
                0.05 + 0.75 * random.nextDouble());
    }

    private static String name(int number) {
        return String.format(Locale.ROOT, "flow-%04d", number);
    }

    void start() {
        for (int client = 0; client < CLIENT_COUNT; client++) {
            Thread.ofVirtual().name("flow-client-" + client).start(this::submitAll);
        }
    }

    /** Lets the clients submit so many more. */
    void allow(int more) {
        allowed.release(more);
    }

    private void submitAll() {
        try {
            for (int number = next.getAndIncrement(); number < bodies.length; number = next.getAndIncrement()) {
                allowed.acquire();
                submitUntilAcknowledged(number);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } finally {
            clients.countDown();
        }
    }

    private void submitUntilAcknowledged(int number) throws InterruptedException {
        Map<String, String> key = Map.of("Idempotency-Key", "key-" + name(number));
        while (!closed) {
            try {
                Answer answer = rest.post("/api/v1/workloads", "application/json", bodies[number], key);
                if (answer.status() == 200 || answer.status() == 201) {
                    acknowledged.put(name(number), answer.json().path("id").asText());
                    return;
                }
                if (answer.status() < 500) {
                    refusal = answer.status() + " " + answer.body();
                    return;
                }
            } catch (ServiceAway away) {
                // whether it was stored is not known, and the key makes asking again safe
            }
            retries.incrementAndGet();
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
    }

    /** @throws BenchFailed if they are not all acknowledged in time */
    void awaitAcknowledged(long seconds) throws InterruptedException {
        boolean done = clients.await(seconds, TimeUnit.SECONDS);
        if (refusal != null) {
            throw new BenchFailed("a submission was refused: " + refusal);
        }
        if (!done) {
            throw new BenchFailed(
                    "only " + acknowledged.size() + " of " + bodies.length + " submissions were acknowledged");
        }
    }

    int count() {
        return bodies.length;
    }

    long retries() {
        return retries.get();
    }

    int acknowledgedCount() {
        return acknowledged.size();
    }

    /** Name to id. */
    SortedMap<String, String> acknowledged() {
        synchronized (acknowledged) {
            return new TreeMap<>(acknowledged);
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
