package dev.sluice.scheduling;

import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.topology.UsableCapacity;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/** What a new leader sees of the cluster. */
record Survey(
        UsableCapacity capacity, SortedMap<String, SortedMap<String, String>> namespaces, List<ObservedJob> jobs) {
    private static final Logger LOG = Logger.getLogger(Survey.class.getName());
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(50);
    private static final Duration BETWEEN_LATER_TRIES = Duration.ofMillis(500);

    /** What is small and quick to tell, if the cluster tells anything. */
    private record Surroundings(UsableCapacity capacity, SortedMap<String, SortedMap<String, String>> namespaces) {
        static Surroundings of(Cluster cluster) {
            return new Surroundings(cluster.capacity(), cluster.namespaces());
        }
    }

    /**
     * Waits for a cluster that has still to begin, but not for one that does not answer.
     *
     * @param patience with what it remembers of itself, which is there at once if anything is
     * @param jobsPatience with the list of its jobs, which it has to be asked for; may be long
     * @throws ClusterUnavailable if it did not answer in time, or does not list its jobs
     */
    static Survey of(Cluster cluster, Duration patience, Duration jobsPatience) throws InterruptedException {
        CompletableFuture<Surroundings> surroundings = new CompletableFuture<>();
        CompletableFuture<List<ObservedJob>> jobs = new CompletableFuture<>();
        Thread asking = Thread.ofVirtual().name("sluice-survey").start(() -> ask(cluster, surroundings, jobs));
        try {
            Surroundings seen = answer(surroundings, patience);
            return new Survey(seen.capacity(), seen.namespaces(), answer(jobs, jobsPatience));
        } finally {
            asking.interrupt();
        }
    }

    private static <T> T answer(CompletableFuture<T> asked, Duration patience) throws InterruptedException {
        try {
            return asked.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException silent) {
            throw new ClusterUnavailable("the cluster does not answer within " + patience, silent);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof ClusterUnavailable away) {
                throw away;
            }
            throw new CompletionException("a look at the cluster failed by a bug", failed.getCause());
        }
    }

    private static void ask(
            Cluster cluster, CompletableFuture<Surroundings> surroundings, CompletableFuture<List<ObservedJob>> jobs) {
        try {
            while (!surroundings.isDone()) {
                try {
                    surroundings.complete(Surroundings.of(cluster));
                } catch (ClusterUnavailable away) {
                    LOG.log(Level.FINE, "the cluster is asked again", away);
                    Thread.sleep(BETWEEN_TRIES);
                }
            }
            jobs.complete(cluster.jobs());
        } catch (InterruptedException given) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException broken) {
            surroundings.completeExceptionally(broken);
            jobs.completeExceptionally(broken);
        }
    }

    /** Hands over a survey once there is one, by a thread that is to be interrupted when nobody wants it any more. */
    static Thread later(Cluster cluster, Consumer<Survey> receiver) {
        return Thread.ofVirtual().name("sluice-survey").start(() -> {
            try {
                while (true) {
                    try {
                        Surroundings seen = Surroundings.of(cluster);
                        receiver.accept(new Survey(seen.capacity(), seen.namespaces(), cluster.jobs()));
                        return;
                    } catch (ClusterUnavailable away) {
                        LOG.log(Level.FINE, "the cluster is still away", away);
                        Thread.sleep(BETWEEN_LATER_TRIES);
                    }
                }
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
