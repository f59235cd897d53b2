package dev.sluice.persistence;

import dev.sluice.overview.WorkloadReader.Filter;
import dev.sluice.overview.WorkloadReader.Sort;
import dev.sluice.workload.WorkloadState;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Conditions that are there or not, with their parameters, as one where clause. */
final class WorkloadQuery {
    private final StringBuilder conditions = new StringBuilder("where true");
    private final List<Object> parameters = new ArrayList<>();

    WorkloadQuery and(String condition, Object... values) {
        conditions.append(" and ").append(condition);
        parameters.addAll(List.of(values));
        return this;
    }

    /** The filter without its states. */
    static WorkloadQuery of(Filter filter) {
        WorkloadQuery query = new WorkloadQuery();
        if (filter.team() != null) {
            query.and(
                    "w.cluster_queue in (select q.key from cluster_queue q where q.spec ->> 'team' = ?)",
                    filter.team());
        }
        if (filter.clusterQueue() != null) {
            query.and("w.cluster_queue = ?", filter.clusterQueue());
        }
        if (filter.namespace() != null) {
            query.and("w.namespace = ?", filter.namespace());
        }
        if (filter.priorityClass() != null) {
            query.and("w.priority_class = ?", filter.priorityClass());
        }
        if (filter.deviceClass() != null) {
            query.and("? = any(w.device_classes)", filter.deviceClass());
        }
        if (filter.name() != null) {
            query.and("w.name = ?", filter.name());
        }
        return query;
    }

    /** Indexes know final states only; what has not ended is few, and read in order. */
    WorkloadQuery in(List<WorkloadState> states) {
        if (states.isEmpty()) {
            return this;
        }
        String[] names = states.stream().map(WorkloadState::name).toArray(String[]::new);
        if (states.stream().allMatch(WorkloadState::isFinal)) {
            return names.length == 1
                    ? and("w.final_state = ?", names[0])
                    : and("w.final_state = any(?)", (Object) names);
        }
        boolean allLive = states.stream().noneMatch(WorkloadState::isFinal);
        return and((allLive ? "w.final_state is null and " : "") + "w.state = any(?)", (Object) names);
    }

    WorkloadQuery after(PageKey key) {
        return switch (key.sort()) {
            case CREATED_ASCENDING -> and("w.sequence > ?", key.sequence());
            case CREATED_DESCENDING -> and("w.sequence < ?", key.sequence());
            case PRIORITY_DESCENDING ->
                and(
                        "w.priority <= ? and (w.priority < ? or w.sequence > ?)",
                        Integer.parseInt(key.value()),
                        Integer.parseInt(key.value()),
                        key.sequence());
            case NAME_ASCENDING -> and("(w.name, w.sequence) > (?, ?)", key.value(), key.sequence());
        };
    }

    static String order(Sort sort) {
        return switch (sort) {
            case CREATED_ASCENDING -> " order by w.sequence";
            case CREATED_DESCENDING -> " order by w.sequence desc";
            case PRIORITY_DESCENDING -> " order by w.priority desc, w.sequence";
            case NAME_ASCENDING -> " order by w.name, w.sequence";
        };
    }

    String where() {
        return conditions.toString();
    }

    /** Binds from position {@code first} on; returns the position of the next parameter. */
    int bind(PreparedStatement statement, int first) throws SQLException {
        int next = first;
        for (Object parameter : parameters) {
            statement.setObject(next++, parameter);
        }
        return next;
    }
}
