package dev.sluice.testkit;

import dev.sluice.overview.EventLogReader;
import dev.sluice.overview.EvictionRow;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.persistence.LoggedForm;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.Command;
import dev.sluice.scheduling.OutboxPositions;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The reading ports over an {@link InMemoryStore}. */
public final class InMemoryReads implements WorkloadReader, EventLogReader, OutboxPositions {
    private static final Comparator<WorkloadRow> BY_SEQUENCE =
            Comparator.comparingLong(row -> row.workload().sequence());

    private final InMemoryStore store;
    private final Map<String, Long> positions = new HashMap<>();

    public InMemoryReads(InMemoryStore store) {
        this.store = store;
    }

    @Override
    public Optional<WorkloadRow> find(WorkloadId workload) {
        synchronized (store) {
            store.reach();
            return Optional.ofNullable(store.rows.get(workload)).map(this::row);
        }
    }

    @Override
    public List<WorkloadRow> findAll(List<WorkloadId> workloads) {
        return workloads.stream().flatMap(id -> find(id).stream()).toList();
    }

    private WorkloadRow row(InMemoryRow row) {
        WorkloadId id = row.workload.id();
        List<Command> wishes = store.commands.values().stream()
                .filter(queued -> queued.command().workloadId().equals(id))
                .map(queued -> queued.command())
                .toList();
        return new WorkloadRow(
                row.workload,
                row.status,
                team(row.status.clusterQueue()),
                row.jobUid,
                row.startedAt,
                row.finishedAt,
                row.failure,
                !wishes.isEmpty(),
                wishes.stream().anyMatch(Command.Cancel.class::isInstance),
                latestFirst()
                        .filter(eviction -> eviction.victim().equals(id))
                        .limit(20)
                        .toList());
    }

    private @Nullable String team(@Nullable String clusterQueue) {
        ClusterQueue queue = clusterQueue == null
                ? null
                : store.configuration0().clusterQueues().get(clusterQueue);
        return queue == null ? null : queue.team();
    }

    private Stream<EvictionRow> latestFirst() {
        return store.evictions.reversed().stream();
    }

    @Override
    public Page<WorkloadRow> page(Filter filter, Sort sort, int limit, @Nullable String after) {
        synchronized (store) {
            store.reach();
            List<WorkloadRow> all = store.rows.values().stream()
                    .map(this::row)
                    .filter(row -> matches(row, filter))
                    .filter(row -> filter.states().isEmpty()
                            || filter.states().contains(row.status().state()))
                    .sorted(order(sort))
                    .toList();
            int from = 0;
            if (after != null) {
                WorkloadRow last = find(new WorkloadId(after))
                        .orElseThrow(() -> new IllegalArgumentException("must be the cursor of a page"));
                while (from < all.size() && order(sort).compare(all.get(from), last) <= 0) {
                    from++;
                }
            }
            List<WorkloadRow> page = all.subList(from, Math.min(all.size(), from + limit));
            boolean more = from + page.size() < all.size();
            return new Page<>(page, more ? page.getLast().workload().id().value() : null);
        }
    }

    private static Comparator<WorkloadRow> order(Sort sort) {
        return switch (sort) {
            case CREATED_ASCENDING -> BY_SEQUENCE;
            case CREATED_DESCENDING -> BY_SEQUENCE.reversed();
            case PRIORITY_DESCENDING ->
                Comparator.<WorkloadRow>comparingInt(row -> row.status().priority())
                        .reversed()
                        .thenComparing(BY_SEQUENCE);
            case NAME_ASCENDING ->
                Comparator.<WorkloadRow, String>comparing(row -> row.workload().name())
                        .thenComparing(BY_SEQUENCE);
        };
    }

    private static boolean matches(WorkloadRow row, Filter filter) {
        return (filter.team() == null || filter.team().equals(row.team()))
                && (filter.clusterQueue() == null
                        || filter.clusterQueue().equals(row.status().clusterQueue()))
                && (filter.namespace() == null
                        || filter.namespace().equals(row.workload().namespace()))
                && (filter.priorityClass() == null
                        || filter.priorityClass().equals(row.status().priorityClass()))
                && (filter.name() == null || filter.name().equals(row.workload().name()))
                && (filter.deviceClass() == null || asksFor(row.workload().podSets(), filter.deviceClass()));
    }

    private static boolean asksFor(List<PodSet> podSets, String deviceClass) {
        return podSets.stream()
                .flatMap(podSet -> podSet.requests().keySet().stream())
                .anyMatch(resource -> (resource + "/").startsWith("deviceclass/" + deviceClass + "/"));
    }

    @Override
    public SortedMap<WorkloadState, Long> counts(Filter filter) {
        synchronized (store) {
            store.reach();
            SortedMap<WorkloadState, Long> counts = new TreeMap<>();
            store.rows.values().stream()
                    .map(this::row)
                    .filter(row -> matches(row, filter))
                    .forEach(row -> counts.merge(row.status().state(), 1L, Long::sum));
            return counts;
        }
    }

    private Stream<LoggedEvent> events() {
        return store.log.stream()
                .flatMap(batch -> batch.entries().stream().map(entry -> LoggedForm.of(batch.at(), entry)));
    }

    @Override
    public List<LoggedEvent> history(WorkloadId workload) {
        synchronized (store) {
            store.reach();
            return events().filter(event -> workload.equals(event.workload()) || isVictim(event, workload))
                    .toList();
        }
    }

    private static boolean isVictim(LoggedEvent event, WorkloadId workload) {
        return event.kind().equals("Preempt")
                && event.body().get("victims") instanceof List<?> victims
                && victims.stream()
                        .anyMatch(victim -> victim instanceof Map<?, ?> fields
                                && Objects.equals(fields.get("workload"), workload.value()));
    }

    @Override
    public Page<EvictionRow> evictions(EvictionFilter filter, int limit, @Nullable String after) {
        synchronized (store) {
            store.reach();
            List<EvictionRow> found = latestFirst()
                    .filter(row -> after == null || row.id() < Long.parseLong(after))
                    .filter(row -> filter.workload() == null
                            || filter.workload().equals(row.victim())
                            || filter.workload().equals(row.preemptor()))
                    .filter(row ->
                            filter.victimQueue() == null || filter.victimQueue().equals(row.victimQueue()))
                    .filter(row -> filter.preemptorQueue() == null
                            || filter.preemptorQueue().equals(row.preemptorQueue()))
                    .filter(row -> filter.reason() == null || filter.reason().equals(row.reason()))
                    .limit(limit + 1L)
                    .toList();
            return found.size() <= limit
                    ? new Page<>(found, null)
                    : new Page<>(
                            found.subList(0, limit),
                            Long.toString(found.get(limit - 1).id()));
        }
    }

    @Override
    public List<LoggedEvent> after(long position, int limit) {
        synchronized (store) {
            store.reach();
            return events().filter(event -> event.position() > position)
                    .limit(limit)
                    .toList();
        }
    }

    @Override
    public long end() {
        synchronized (store) {
            store.reach();
            return store.log.isEmpty()
                    ? 0
                    : store.log.getLast().entries().stream()
                            .mapToLong(Batch.Entry::position)
                            .max()
                            .orElse(0);
        }
    }

    @Override
    public long position(String reader) {
        synchronized (store) {
            store.reach();
            return positions.getOrDefault(reader, 0L);
        }
    }

    @Override
    public boolean advance(String reader, long from, long to) {
        synchronized (store) {
            store.reach();
            boolean there = positions.getOrDefault(reader, 0L) == from;
            if (there) {
                positions.put(reader, to);
            }
            return there;
        }
    }
}
