package dev.sluice.persistence;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.Particulars;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Resources;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSetUpdate;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Rows of workload, submission and pod_set, and what they mean. */
final class WorkloadRows {
    static final String COLUMNS = """
            w.id, w.sequence, w.name, w.namespace, w.state, w.local_queue, w.cluster_queue, w.priority_class,
            w.priority, w.active, w.created_at, w.queued_at, w.admitted_at, w.started_at, w.finished_at, w.requeue_at,
            w.admission_sequence, w.charged, w.eviction_count, w.after_eviction, w.fence, w.job_uid, w.assignment,
            w.awaited_victims, w.scan_memory, w.failure, w.particulars,
            s.local_queue as submitted_local_queue, s.priority_class as submitted_priority_class,
            s.priority as submitted_priority, s.expected_duration_ms, s.max_duration_ms, s.manifest,
            (select json_agg(p.spec order by p.ordinal) from pod_set p where p.workload_id = w.id) as pod_sets
            """;

    static final String TABLES = "from workload w join submission s on s.workload_id = w.id ";

    /** Follow with a where clause; {@code w} is the workload, {@code s} its submission. */
    static final String SELECT = "select " + COLUMNS + TABLES;

    private WorkloadRows() {}

    /** @param senseless what reading one row threw, whose columns are what somebody else may have written */
    static String why(RuntimeException senseless) {
        return String.valueOf(senseless.getMessage());
    }

    /** As its author wants it now. */
    static Workload workload(ResultSet row) throws SQLException {
        return particulars(row.getString("particulars")).asksNow(submitted(row));
    }

    /** As it was submitted. */
    static Workload submitted(ResultSet row) throws SQLException {
        return new Workload(
                new WorkloadId(row.getString("id")),
                row.getLong("sequence"),
                row.getString("name"),
                row.getString("namespace"),
                row.getString("submitted_local_queue"),
                row.getString("submitted_priority_class"),
                row.getInt("submitted_priority"),
                podSets(StoredJson.read(row.getString("pod_sets"), JsonNode.class)),
                instant(row, "created_at"),
                duration(row, "expected_duration_ms"),
                duration(row, "max_duration_ms"));
    }

    static WorkloadStatus status(ResultSet row) throws SQLException {
        String assignment = row.getString("assignment");
        String afterEviction = row.getString("after_eviction");
        return new WorkloadStatus(
                WorkloadState.valueOf(row.getString("state")),
                row.getString("local_queue"),
                row.getString("cluster_queue"),
                row.getString("priority_class"),
                row.getInt("priority"),
                row.getBoolean("active"),
                instant(row, "queued_at"),
                assignment == null ? null : StoredJson.read(assignment, Assignment.class),
                instantOrNull(row, "admitted_at"),
                row.getLong("admission_sequence"),
                row.getBoolean("charged"),
                victims(row.getString("awaited_victims")),
                afterEviction == null ? null : WorkloadState.valueOf(afterEviction),
                row.getInt("eviction_count"),
                instantOrNull(row, "requeue_at"),
                row.getString("scan_memory"),
                particulars(row.getString("particulars")));
    }

    static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private static @Nullable Duration duration(ResultSet row, String column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? null : Duration.ofMillis(millis);
    }

    static List<PodSet> podSets(JsonNode array) {
        List<PodSet> podSets = new ArrayList<>();
        for (JsonNode podSet : array) {
            podSets.add(StoredJson.read(podSet, PodSet.class));
        }
        return podSets;
    }

    /** A missing one is none: stored before there were any. */
    static List<PodSetUpdate> podSetUpdates(JsonNode array) {
        List<PodSetUpdate> updates = new ArrayList<>();
        for (JsonNode update : array) {
            updates.add(StoredJson.read(update, PodSetUpdate.class));
        }
        return updates;
    }

    static @Nullable String particulars(Particulars particulars) {
        return particulars.isEmpty() ? null : StoredJson.text(particulars);
    }

    private static Particulars particulars(@Nullable String json) {
        return json == null ? Particulars.NONE : StoredJson.read(json, Particulars.class);
    }

    static @Nullable String victims(List<WorkloadId> victims) {
        return victims.isEmpty() ? null : StoredJson.text(victims);
    }

    private static List<WorkloadId> victims(@Nullable String json) {
        List<WorkloadId> victims = new ArrayList<>();
        if (json != null) {
            StoredJson.read(json, JsonNode.class).forEach(id -> victims.add(new WorkloadId(id.textValue())));
        }
        return victims;
    }

    /** Classes that the pod sets ask for, whichever counter of them. */
    static List<String> deviceClasses(List<PodSet> podSets) {
        TreeSet<String> classes = new TreeSet<>();
        for (PodSet podSet : podSets) {
            for (String resource : podSet.requests().keySet()) {
                if (Resources.isDeviceClass(resource)) {
                    String rest = resource.substring(Resources.DEVICE_CLASS_PREFIX.length());
                    int slash = rest.indexOf('/');
                    classes.add(slash < 0 ? rest : rest.substring(0, slash));
                }
            }
        }
        return List.copyOf(classes);
    }
}
