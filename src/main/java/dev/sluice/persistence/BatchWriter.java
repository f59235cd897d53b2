package dev.sluice.persistence;

import dev.sluice.admission.LocalQueueUsage;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.Batch.WorkloadChange;
import dev.sluice.scheduling.CommandOutcome;
import dev.sluice.workload.WorkloadId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a batch holds, on a connection whose transaction holds the leadership row already. A handful of statements however
 * large the batch is.
 */
final class BatchWriter {
    private static final String KEEP_OUTCOMES = """
            insert into command_outcome (command_id, workload_id, refusal, at)
            select c.id, c.workload_id, u.refusal, statement_timestamp()
            from unnest(?::bigint[], ?::text[]) as u(id, refusal) join command c on c.id = u.id
            where c.kind <> 'SUBMIT' or u.refusal is not null
            """;

    private static final String DROP_COMMANDS = "delete from command where id = any(?::bigint[])";

    private static final String APPEND = """
            insert into event_log (position, batch, at, kind, workload_id, body)
            select u.position, ?, ?::timestamptz, u.kind, u.workload_id, u.body::json
            from unnest(?::bigint[], ?::text[], ?::text[], ?::text[]) as u(position, kind, workload_id, body)
            """;

    private static final String STEP = """
            update workload w set state = u.state
            from unnest(?::text[], ?::text[]) as u(id, state)
            where w.id = u.id
            """;

    private static final String CHANGE = """
            update workload w set
                state = u.state, local_queue = u.local_queue, cluster_queue = u.cluster_queue,
                priority_class = u.priority_class, priority = u.priority, active = u.active, queued_at = u.queued_at,
                assignment = u.assignment::json, admitted_at = u.admitted_at, admission_sequence = u.admission_sequence,
                charged = u.charged, awaited_victims = u.awaited_victims::json, after_eviction = u.after_eviction,
                eviction_count = u.eviction_count, requeue_at = u.requeue_at, scan_memory = u.scan_memory,
                fence = u.fence, job_uid = u.job_uid, started_at = u.started_at, finished_at = u.finished_at,
                failure = u.failure, particulars = u.particulars::json, changed_at = statement_timestamp(),
                ended_at = case when u.state in ('SUCCEEDED', 'FAILED', 'CANCELLED')
                    then coalesce(w.ended_at, statement_timestamp()) end
            from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[], ?::boolean[],
                    ?::text[]::timestamptz[], ?::text[], ?::text[]::timestamptz[], ?::bigint[], ?::boolean[], ?::text[],
                    ?::text[], ?::int[], ?::text[]::timestamptz[], ?::text[], ?::bigint[], ?::text[],
                    ?::text[]::timestamptz[], ?::text[]::timestamptz[], ?::text[], ?::text[])
                as u(id, state, local_queue, cluster_queue, priority_class, priority, active, queued_at, assignment,
                    admitted_at, admission_sequence, charged, awaited_victims, after_eviction, eviction_count, requeue_at,
                    scan_memory, fence, job_uid, started_at, finished_at, failure, particulars)
            where w.id = u.id
            """;

    private static final String EVICT = """
            insert into eviction (victim_id, victim_name, victim_namespace, victim_queue, reason, preemptor_id,
                preemptor_name, preemptor_namespace, preemptor_queue, cohort, at)
            select u.victim, v.name, v.namespace, u.victim_queue, u.reason, u.preemptor, p.name, p.namespace,
                u.preemptor_queue, u.cohort, u.at
            from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[]::timestamptz[])
                    with ordinality as u(victim, victim_queue, reason, preemptor, preemptor_queue, cohort, at, ordinal)
                join workload v on v.id = u.victim
                left join workload p on p.id = u.preemptor
            order by u.ordinal
            """;

    private static final String REMEMBER_USAGE = """
            insert into local_queue_usage (local_queue, consumed, at)
            select u.local_queue, u.consumed::json, u.at
            from unnest(?::text[], ?::text[], ?::text[]::timestamptz[]) as u(local_queue, consumed, at)
            on conflict (local_queue) do update set consumed = excluded.consumed, at = excluded.at
            """;

    private static final String FORGET_USAGE = "delete from local_queue_usage where local_queue = any(?::text[])";

    private final Connection connection;
    private final Batch batch;

    BatchWriter(Connection connection, Batch batch) {
        this.connection = connection;
        this.batch = batch;
    }

    void write() throws SQLException {
        if (!batch.outcomes().isEmpty()) {
            settleCommands();
        }
        if (!batch.entries().isEmpty()) {
            append();
        }
        if (!batch.changes().isEmpty()) {
            for (List<StateWaves.Step> wave : StateWaves.of(batch.changes())) {
                step(wave);
            }
            change();
        }
        if (!batch.evictions().isEmpty()) {
            evict();
        }
        if (!batch.usages().isEmpty()) {
            remember();
        }
    }

    private void settleCommands() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(KEEP_OUTCOMES)) {
            new Columns<>(statement, 1, batch.outcomes())
                    .bigint(CommandOutcome::commandId)
                    .text(CommandOutcome::refusal);
            statement.executeUpdate();
        }
        try (PreparedStatement statement = connection.prepareStatement(DROP_COMMANDS)) {
            new Columns<>(statement, 1, batch.outcomes()).bigint(CommandOutcome::commandId);
            statement.executeUpdate();
        }
    }

    private void append() throws SQLException {
        record Row(long position, EntryCodec.Line line) {}
        List<Row> rows = new ArrayList<>(batch.entries().size());
        for (Batch.Entry entry : batch.entries()) {
            rows.add(new Row(entry.position(), EntryCodec.encode(entry)));
        }
        try (PreparedStatement statement = connection.prepareStatement(APPEND)) {
            statement.setLong(1, batch.number());
            statement.setString(2, batch.at().toString());
            new Columns<>(statement, 3, rows)
                    .bigint(Row::position)
                    .text(row -> row.line().kind())
                    .text(row -> {
                        WorkloadId about = row.line().workload();
                        return about == null ? null : about.value();
                    })
                    .text(row -> row.line().body().toString());
            statement.executeUpdate();
        }
    }

    private void step(List<StateWaves.Step> wave) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(STEP)) {
            new Columns<>(statement, 1, wave)
                    .text(step -> step.workload().value())
                    .text(step -> step.state().name());
            expectAll(statement.executeUpdate(), wave.size());
        }
    }

    private void change() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CHANGE)) {
            new Columns<>(statement, 1, batch.changes())
                    .text(change -> change.workload().value())
                    .text(change -> status(change).state().name())
                    .text(change -> status(change).localQueue())
                    .text(change -> status(change).clusterQueue())
                    .text(change -> status(change).priorityClass())
                    .integer(change -> status(change).priority())
                    .bool(change -> status(change).active())
                    .time(change -> status(change).queuedAt())
                    .text(BatchWriter::assignment)
                    .time(change -> status(change).admittedAt())
                    .bigint(change -> status(change).admissionSequence())
                    .bool(change -> status(change).charged())
                    .text(change -> WorkloadRows.victims(status(change).awaitedVictims()))
                    .text(BatchWriter::afterEviction)
                    .integer(change -> status(change).evictionCount())
                    .time(change -> status(change).requeueAt())
                    .text(change -> status(change).scanMemory())
                    .bigint(WorkloadChange::fence)
                    .text(WorkloadChange::jobUid)
                    .time(WorkloadChange::startedAt)
                    .time(WorkloadChange::finishedAt)
                    .text(WorkloadChange::failure)
                    .text(change -> WorkloadRows.particulars(status(change).particulars()));
            expectAll(statement.executeUpdate(), batch.changes().size());
        }
    }

    private static WorkloadStatus status(WorkloadChange change) {
        return change.status();
    }

    private static @Nullable String assignment(WorkloadChange change) {
        return change.status().assignment() == null
                ? null
                : StoredJson.text(change.status().assignment());
    }

    private static @Nullable String afterEviction(WorkloadChange change) {
        return change.status().afterEviction() == null
                ? null
                : change.status().afterEviction().name();
    }

    private void evict() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(EVICT)) {
            new Columns<>(statement, 1, batch.evictions())
                    .text(eviction -> eviction.victim().value())
                    .text(Batch.Eviction::victimQueue)
                    .text(Batch.Eviction::reason)
                    .text(eviction -> eviction.preemptor() == null
                            ? null
                            : eviction.preemptor().value())
                    .text(Batch.Eviction::preemptorQueue)
                    .text(Batch.Eviction::cohort)
                    .time(Batch.Eviction::at);
            expectAll(statement.executeUpdate(), batch.evictions().size());
        }
    }

    private void remember() throws SQLException {
        List<LocalQueueUsage> kept = new ArrayList<>();
        List<LocalQueueUsage> forgotten = new ArrayList<>();
        batch.usages().forEach(usage -> (usage.consumed().isEmpty() ? forgotten : kept).add(usage));
        try (PreparedStatement statement = connection.prepareStatement(REMEMBER_USAGE)) {
            new Columns<>(statement, 1, kept)
                    .text(LocalQueueUsage::localQueue)
                    .text(usage -> StoredJson.text(usage.consumed()))
                    .time(LocalQueueUsage::at);
            statement.executeUpdate();
        }
        try (PreparedStatement statement = connection.prepareStatement(FORGET_USAGE)) {
            new Columns<>(statement, 1, forgotten).text(LocalQueueUsage::localQueue);
            statement.executeUpdate();
        }
    }

    private void expectAll(int written, int expected) {
        if (written != expected) {
            throw new IllegalStateException("batch " + batch.number() + " names " + expected
                    + " workloads, each once, but " + written + " rows were written");
        }
    }
}
