package dev.sluice.bench;

import static dev.sluice.testkit.controlplane.TestJob.aJob;

import dev.sluice.bench.RestClient.Answer;
import dev.sluice.bench.RestClient.ServiceAway;
import dev.sluice.testkit.controlplane.TestJob;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of three queues that borrow from and preempt each other ({@link WorkloadFlow#documents}). Every other one is created on the
 * cluster, as with {@code kubectl}; the rest are submitted to the service, again and again under a key of their own until they are
 * acknowledged.
 */
final class JobFlow implements AutoCloseable {
    static final String NAMESPACE = "flow";

    private static final long RETRY_MILLIS = 100;

    private final KubernetesClient cluster;
    private final RestClient rest;
    private final TestJob[] jobs;
    private final Semaphore allowed = new Semaphore(0);
    private final CountDownLatch done = new CountDownLatch(1);
    private final SortedMap<String, String> acknowledged = Collections.synchronizedSortedMap(new TreeMap<>());
    private volatile @Nullable RuntimeException failure;
    private volatile boolean closed;

    JobFlow(KubernetesClient cluster, RestClient rest, int count, long seed) {
        this.cluster = cluster;
        this.rest = rest;
        this.jobs = new TestJob[count];
        Random random = new Random(seed);
        for (int number = 0; number < count; number++) {
            jobs[number] = job(number, random);
        }
    }

    private static TestJob job(int number, Random random) {
        TestJob job = aJob(name(number))
                .in(NAMESPACE)
                .kueueQueue("queue-" + random.nextInt(WorkloadFlow.QUEUE_COUNT))
                .pods(1 + random.nextInt(2))
                .asks("cpu", Integer.toString(1 + random.nextInt(4)))
                .runsFor(Duration.ofMillis(200 + random.nextInt(2_000)));
        return random.nextInt(5) == 0 ? job.priorityClass("high") : job;
    }

    private static String name(int number) {
        return String.format(Locale.ROOT, "flow-%04d", number);
    }

    void start() {
        Thread.ofVirtual().name("job-flow").start(this::createAll);
    }

    /** Lets so many more come. */
    void allow(int more) {
        allowed.release(more);
    }

    private void createAll() {
        try {
            for (int number = 0; number < jobs.length && !closed; number++) {
                allowed.acquire();
                String name = name(number);
                String id = number % 2 == 0
                        ? cluster.resource(jobs[number].suspended().build())
                                .create()
                                .getMetadata()
                                .getUid()
                        : submit(name, cluster.getKubernetesSerialization().asJson(jobs[number].build()));
                acknowledged.put(name, id);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException failed) {
            failure = failed;
        } finally {
            done.countDown();
        }
    }

    private String submit(String name, String manifest) throws InterruptedException {
        while (!closed) {
            try {
                Answer answer = rest.post(
                        "/api/v1/workloads", "application/json", manifest, Map.of("Idempotency-Key", "key-" + name));
                if (answer.status() == 200 || answer.status() == 201) {
                    return answer.json().path("id").asText();
                }
                if (answer.status() < 500) {
                    throw new BenchFailed(name + " was refused: " + answer.status() + " " + answer.body());
                }
            } catch (ServiceAway away) {
                // Whether it was stored is not known, and the key makes asking again safe.
            }
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
        throw new BenchFailed("the flow was closed before " + name + " was acknowledged");
    }

    /** Name to workload id, of all. */
    SortedMap<String, String> awaitAcknowledged(Duration patience) throws InterruptedException {
        boolean all = done.await(patience.toSeconds(), TimeUnit.SECONDS);
        if (failure != null) {
            throw failure;
        }
        if (!all) {
            throw new BenchFailed("only " + acknowledged.size() + " of " + jobs.length + " Jobs were acknowledged");
        }
        return new TreeMap<>(acknowledged);
    }

    @Override
    public void close() {
        closed = true;
    }
}
