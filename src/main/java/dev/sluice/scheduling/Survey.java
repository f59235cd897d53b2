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
     * Waits for a cluster that has still to begin, but not for one that does not answer; one that has begun to answer may take its time
     * to list all its jobs.
     *
     * @throws ClusterUnavailable if it did not begin to answer in time, or does not list its jobs
     */
    static Survey of(Cluster cluster, Duration patience) throws InterruptedException {
        CompletableFuture<Surroundings> answer = new CompletableFuture<>();
        Thread asking = Thread.ofVirtual().name("sluice-survey").start(() -> ask(cluster, answer));
        try {
            Surroundings seen = answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return new Survey(seen.capacity(), seen.namespaces(), cluster.jobs());
        } catch (TimeoutException silent) {
            throw new ClusterUnavailable("the cluster does not answer within " + patience, silent);
        } catch (ExecutionException broken) {
            throw new CompletionException("a look at the cluster failed by a bug", broken.getCause());
        } finally {
            asking.interrupt();
        }
    }

    private static void ask(Cluster cluster, CompletableFuture<Surroundings> answer) {
        try {
            while (!answer.isDone() && !Thread.currentThread().isInterrupted()) {
                try {
                    answer.complete(Surroundings.of(cluster));
                } catch (ClusterUnavailable away) {
                    LOG.log(Level.FINE, "the cluster is asked again", away);
                    Thread.sleep(BETWEEN_TRIES);
                }
            }
        } catch (InterruptedException given) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException broken) {
            answer.completeExceptionally(broken);
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
