package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.admission.EngineEvent;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.LeaderLoop;
import dev.sluice.testkit.StoredStates;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/**
 * What a story needs beyond REST: a moment in which several things happen at once, and workloads that run already. It does so past the
 * product, in the tables and on the leader's thread.
 */
final class StoryStage {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final LeaderLoop loop;
    private final StoredStates rows;
    private String restedAt = "";

    StoryStage(LeaderLoop loop, DataSource database) {
        this.loop = loop;
        rows = new StoredStates(database);
    }

    /** Nobody leads until {@link #letLead}: what is committed meanwhile waits, and rows may be corrected. */
    void takeLead() {
        rows.damage(
                "update leadership set holder = 'the stage', epoch = epoch + 1, expires_at = now() + interval '1 hour'");
        Awaitility.await().atMost(PATIENCE).until(() -> !loop.isLeading());
    }

    void letLead() {
        rows.damage("update leadership set expires_at = now()");
        Awaitility.await().atMost(PATIENCE).until(loop::isLeading);
    }

    /** Stops the leader's thread until {@link Pause#goOn}: what is sent meanwhile happens at once. */
    Pause pause() {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        CompletableFuture<Boolean> stopped = loop.ask((engine, now) -> {
                    reached.countDown();
                    await(over);
                    return true;
                })
                .orElseThrow();
        await(reached);
        return () -> {
            over.countDown();
            assertThat(stopped.join()).isTrue();
        };
    }

    interface Pause {
        void goOn();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new AssertionError(stopping);
        }
    }

    /**
     * Gives a submitted workload the id and the times of its vector, and what it holds if it runs already. The wish to queue it goes: the
     * next leader finds it as one that is queued since then.
     */
    void correct(String submittedId, JsonNode recorded, VectorWorkloads workloads) {
        String id = recorded.path("id").asText();
        rows.damage("delete from command where workload_id = ?", submittedId);
        for (String table : List.of("submission", "pod_set")) {
            rows.damage("update " + table + " set workload_id = ? where workload_id = ?", id, submittedId);
        }
        String created =
                Instant.ofEpochMilli(recorded.path("createdAt").asLong(0)).toString();
        rows.damage(
                "update workload set id = ?, created_at = ?::timestamptz, queued_at = ?::timestamptz where id = ?",
                id,
                created,
                created,
                submittedId);
        for (EngineEvent event : workloads.events(recorded)) {
            if (event instanceof EngineEvent.WorkloadRestored restored) {
                rows.damage(
                        "update workload set state = 'ADMITTED', charged = true, assignment = ?::json, cluster_queue = ?,"
                                + " admitted_at = ?::timestamptz where id = ?",
                        text(Objects.requireNonNull(restored.status().assignment())),
                        String.valueOf(restored.status().clusterQueue()),
                        String.valueOf(restored.status().admittedAt()),
                        id);
            }
        }
    }

    private static String text(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns once so many wishes are committed; to be called while nobody takes them. */
    void awaitWishes(long count) {
        Awaitility.await().atMost(PATIENCE).until(() -> wishes() == count);
    }

    /** Returns once the pods of these are done. */
    void awaitEnds(Cluster cluster, Collection<String> workloads) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> cluster.jobs().stream()
                        .filter(job -> workloads.contains(job.workload().value()))
                        .allMatch(job -> job.phase() == Cluster.Phase.SUCCEEDED));
    }

    private long wishes() {
        return Long.parseLong(rows.strings("select count(*)::text from command").getFirst());
    }

    /** Returns once nothing is on its way any more, and the log has stood still over two looks in a row. */
    void awaitRest() {
        restedAt = "";
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(300)).until(this::rests);
    }

    private boolean rests() {
        String position = rows.strings("select position::text from leadership").getFirst();
        boolean moving = !rows.strings(
                                "select id from workload where state in ('ADMITTED', 'EVICTING') or awaited_victims is not null limit 1")
                        .isEmpty()
                || wishes() > 0;
        boolean still = !moving && position.equals(restedAt) && loop.isLeading();
        restedAt = position;
        return still;
    }
}
