package dev.sluice.persistence;

import dev.sluice.scheduling.StoreUnavailable;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stores the submissions of one call.
 *
 * <p>In rounds: each claims the idempotency keys of its items, then inserts those that hold theirs. What lost to something that is
 * gone by the time it is looked at, and the second use of a key within the call, goes to another round. Usually there is one
 * round, of one statement without keys and two with. Keys are claimed before names and both in sorted order, so that two
 * callers cannot wait for each other.
 */
final class SubmissionWriter {
    private static final int ROUNDS_MAX = 8;

    private static final String CLAIM_KEYS = """
            insert into idempotency_key (caller, key, body_hash, workload_id, expires_at)
            select u.caller, u.key, u.body_hash, u.workload_id, statement_timestamp() + ? * interval '1 millisecond'
            from unnest(?::text[], ?::text[], ?::text[], ?::text[]) as u(caller, key, body_hash, workload_id)
            order by u.caller collate "C", u.key collate "C"
            on conflict (caller, key) do update
                set body_hash = excluded.body_hash, workload_id = excluded.workload_id, expires_at = excluded.expires_at
                where idempotency_key.expires_at <= statement_timestamp()
            returning workload_id
            """;

    private static final String LOOK_UP_KEYS = """
            select u.workload_id, k.body_hash, k.workload_id
            from unnest(?::text[], ?::text[], ?::text[]) as u(caller, key, workload_id)
                join idempotency_key k on k.caller = u.caller and k.key = u.key
            """;

    private static final String RELEASE_KEYS = """
            delete from idempotency_key k
            using unnest(?::text[], ?::text[], ?::text[]) as u(caller, key, workload_id)
            where k.caller = u.caller and k.key = u.key and k.workload_id = u.workload_id
            """;

    private static final String INSERT = """
            with item as materialized (
                select u.*, nextval('workload_sequence') as sequence
                from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[], ?::text[]::bigint[],
                    ?::text[]::bigint[], ?::text[], ?::text[], ?::text[])
                    with ordinality as u(id, name, namespace, local_queue, priority_class, priority,
                        expected_duration_ms, max_duration_ms, manifest, caller, device_classes, ordinal)
                order by u.ordinal
            ), stored as (
                insert into workload (id, sequence, name, namespace, local_queue, cluster_queue, priority_class, priority,
                    created_at, queued_at, changed_at, device_classes)
                select i.id, i.sequence, i.name, i.namespace, i.local_queue,
                    (select q.spec ->> 'clusterQueue' from local_queue q where q.key = i.namespace || '/' || i.local_queue),
                    i.priority_class, i.priority, statement_timestamp(), statement_timestamp(), statement_timestamp(),
                    i.device_classes::text[]
                from item i
                order by i.namespace collate "C", i.name collate "C", i.ordinal
                on conflict (namespace, name) where final_state is null do nothing
                returning id, sequence, created_at
            ), submitted as (
                insert into submission (workload_id, local_queue, priority_class, priority, expected_duration_ms,
                    max_duration_ms, manifest, caller)
                select i.id, i.local_queue, i.priority_class, i.priority, i.expected_duration_ms, i.max_duration_ms,
                    i.manifest, i.caller
                from item i join stored on stored.id = i.id
            ), shaped as (
                insert into pod_set (workload_id, ordinal, name, count, spec)
                select u.workload_id, u.ordinal, u.name, u.count, u.spec::json
                from unnest(?::text[], ?::int[], ?::text[], ?::int[], ?::text[])
                        as u(workload_id, ordinal, name, count, spec)
                    join stored on stored.id = u.workload_id
            ), enqueued as (
                insert into command (kind, workload_id, caller, enqueued_at)
                select 'SUBMIT', i.id, i.caller, statement_timestamp()
                from item i join stored on stored.id = i.id
                order by i.sequence
                returning id, workload_id
            )
            select stored.id, stored.sequence, stored.created_at, enqueued.id as command_id,
                (select pg_notify('sluice_intake', ''))
            from stored join enqueued on enqueued.workload_id = stored.id
            """;

    private static final String LOOK_UP_NAMES = """
            select u.id, w.id
            from unnest(?::text[], ?::text[], ?::text[]) as u(id, namespace, name)
                join workload w on w.namespace = u.namespace and w.name = u.name
            where w.final_state is null
            """;

    private final Connection connection;
    private final List<Submission> submissions;
    private final Map<WorkloadId, SubmissionResult> results = new HashMap<>();

    SubmissionWriter(Connection connection, List<Submission> submissions) {
        this.connection = connection;
        this.submissions = submissions;
    }

    List<SubmissionResult> write() throws SQLException {
        List<Submission> open = submissions;
        for (int round = 0; !open.isEmpty(); round++) {
            if (round == ROUNDS_MAX) {
                throw new StoreUnavailable("names or keys of these submissions come and go too fast", null);
            }
            store(firstOfEachKey(open));
            open = open.stream()
                    .filter(submission -> !results.containsKey(submission.id()))
                    .toList();
        }
        List<SubmissionResult> inOrder = new ArrayList<>(submissions.size());
        for (Submission submission : submissions) {
            SubmissionResult result = results.get(submission.id());
            if (result == null) {
                throw new IllegalStateException("no result for submission " + submission.id());
            }
            inOrder.add(result);
        }
        return inOrder;
    }

    private static List<Submission> firstOfEachKey(List<Submission> open) {
        Set<ScopedKey> seen = new HashSet<>();
        return open.stream()
                .filter(submission -> submission.idempotencyKey() == null
                        || seen.add(new ScopedKey(submission.caller(), submission.idempotencyKey())))
                .toList();
    }

    private record ScopedKey(String caller, String key) {}

    private void store(List<Submission> round) throws SQLException {
        List<Submission> keyed = round.stream()
                .filter(submission -> submission.idempotencyKey() != null)
                .toList();
        Set<WorkloadId> lost = new HashSet<>();
        if (!keyed.isEmpty()) {
            lost.addAll(claimKeys(keyed));
        }
        List<Submission> holding = round.stream()
                .filter(submission -> !lost.contains(submission.id()))
                .toList();
        if (!holding.isEmpty()) {
            insert(holding);
        }
        List<Submission> refused = holding.stream()
                .filter(submission -> !(results.get(submission.id()) instanceof SubmissionResult.Accepted))
                .toList();
        if (!refused.isEmpty()) {
            releaseKeys(refused);
            lookUpNames(refused);
        }
    }

    /** Returns those that did not get their key; who holds it is in the results, if it is still there. */
    private Set<WorkloadId> claimKeys(List<Submission> keyed) throws SQLException {
        Set<WorkloadId> lost = new HashSet<>();
        keyed.forEach(submission -> lost.add(submission.id()));
        try (PreparedStatement statement = connection.prepareStatement(CLAIM_KEYS)) {
            statement.setLong(1, PostgresIntakeStore.KEY_KEPT.toMillis());
            new Columns<>(statement, 2, keyed)
                    .text(Submission::caller)
                    .text(Submission::idempotencyKey)
                    .text(Submission::bodyHash)
                    .text(submission -> submission.id().value());
            try (ResultSet claimed = statement.executeQuery()) {
                while (claimed.next()) {
                    lost.remove(new WorkloadId(claimed.getString(1)));
                }
            }
        }
        if (!lost.isEmpty()) {
            lookUpKeys(keyed.stream()
                    .filter(submission -> lost.contains(submission.id()))
                    .toList());
        }
        return lost;
    }

    private void lookUpKeys(List<Submission> lost) throws SQLException {
        Map<WorkloadId, Submission> byId = new HashMap<>();
        lost.forEach(submission -> byId.put(submission.id(), submission));
        try (PreparedStatement statement = connection.prepareStatement(LOOK_UP_KEYS)) {
            new Columns<>(statement, 1, lost)
                    .text(Submission::caller)
                    .text(Submission::idempotencyKey)
                    .text(submission -> submission.id().value());
            try (ResultSet holder = statement.executeQuery()) {
                while (holder.next()) {
                    WorkloadId id = new WorkloadId(holder.getString(1));
                    Submission submission = byId.get(id);
                    if (submission != null && submission.idempotencyKey() != null) {
                        results.put(
                                id,
                                submission.bodyHash().equals(holder.getString(2))
                                        ? new SubmissionResult.AlreadySubmitted(new WorkloadId(holder.getString(3)))
                                        : new SubmissionResult.KeyReused(submission.idempotencyKey()));
                    }
                }
            }
        }
    }

    private void insert(List<Submission> holding) throws SQLException {
        Map<WorkloadId, Submission> byId = new HashMap<>();
        holding.forEach(submission -> byId.put(submission.id(), submission));
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            new Columns<>(statement, 1, holding)
                    .text(submission -> submission.id().value())
                    .text(Submission::name)
                    .text(Submission::namespace)
                    .text(Submission::localQueue)
                    .text(Submission::priorityClass)
                    .integer(Submission::priority)
                    .bigintOrNull(submission -> millis(submission.expectedDuration()))
                    .bigintOrNull(submission -> millis(submission.maxDuration()))
                    .text(Submission::manifest)
                    .text(Submission::caller)
                    .text(submission -> arrayLiteral(WorkloadRows.deviceClasses(submission.podSets())));
            new Columns<>(statement, 12, ShapedPodSet.of(holding))
                    .text(podSet -> podSet.workload().value())
                    .integer(ShapedPodSet::ordinal)
                    .text(podSet -> podSet.podSet().name())
                    .integer(podSet -> podSet.podSet().count())
                    .text(podSet -> StoredJson.text(podSet.podSet()));
            try (ResultSet stored = statement.executeQuery()) {
                while (stored.next()) {
                    Submission submission = byId.get(new WorkloadId(stored.getString("id")));
                    if (submission != null) {
                        results.put(submission.id(), accepted(submission, stored));
                    }
                }
            }
        }
    }

    private record ShapedPodSet(WorkloadId workload, int ordinal, PodSet podSet) {
        static List<ShapedPodSet> of(List<Submission> submissions) {
            List<ShapedPodSet> all = new ArrayList<>(submissions.size());
            for (Submission submission : submissions) {
                for (int ordinal = 0; ordinal < submission.podSets().size(); ordinal++) {
                    all.add(new ShapedPodSet(
                            submission.id(), ordinal, submission.podSets().get(ordinal)));
                }
            }
            return all;
        }
    }

    private static SubmissionResult.Accepted accepted(Submission submission, ResultSet stored) throws SQLException {
        return new SubmissionResult.Accepted(
                new Workload(
                        submission.id(),
                        stored.getLong("sequence"),
                        submission.name(),
                        submission.namespace(),
                        submission.localQueue(),
                        submission.priorityClass(),
                        submission.priority(),
                        submission.podSets(),
                        WorkloadRows.instant(stored, "created_at"),
                        stored(submission.expectedDuration()),
                        stored(submission.maxDuration())),
                stored.getLong("command_id"));
    }

    private void releaseKeys(List<Submission> refused) throws SQLException {
        List<Submission> keyed = refused.stream()
                .filter(submission -> submission.idempotencyKey() != null)
                .toList();
        if (keyed.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(RELEASE_KEYS)) {
            new Columns<>(statement, 1, keyed)
                    .text(Submission::caller)
                    .text(Submission::idempotencyKey)
                    .text(submission -> submission.id().value());
            statement.executeUpdate();
        }
    }

    private void lookUpNames(List<Submission> refused) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOOK_UP_NAMES)) {
            new Columns<>(statement, 1, refused)
                    .text(submission -> submission.id().value())
                    .text(Submission::namespace)
                    .text(Submission::name);
            try (ResultSet holder = statement.executeQuery()) {
                while (holder.next()) {
                    results.put(
                            new WorkloadId(holder.getString(1)),
                            new SubmissionResult.NameTaken(new WorkloadId(holder.getString(2))));
                }
            }
        }
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }

    /** As it comes back from the store, which keeps milliseconds. */
    private static @Nullable Duration stored(@Nullable Duration duration) {
        return duration == null ? null : Duration.ofMillis(duration.toMillis());
    }

    /** Names of device classes are DNS names: nothing in them needs quoting, but a comma or a brace must not split them. */
    private static String arrayLiteral(List<String> values) {
        StringBuilder literal = new StringBuilder("{");
        for (String value : values) {
            literal.append(literal.length() > 1 ? "," : "")
                    .append('"')
                    .append(value.replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
        }
        return literal.append('}').toString();
    }
}
