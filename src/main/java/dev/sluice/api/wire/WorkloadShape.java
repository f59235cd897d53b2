package dev.sluice.api.wire;

import dev.sluice.admission.ActivePods;
import dev.sluice.admission.Particulars;
import dev.sluice.api.wire.WorkloadResponse.AdmissionResponse;
import dev.sluice.api.wire.WorkloadResponse.CheckResponse;
import dev.sluice.api.wire.WorkloadResponse.EvictionResponse;
import dev.sluice.api.wire.WorkloadResponse.PodCount;
import dev.sluice.api.wire.WorkloadResponse.PodSetAdmission;
import dev.sluice.api.wire.WorkloadResponse.PodSetResponse;
import dev.sluice.api.wire.WorkloadResponse.StartFailures;
import dev.sluice.api.wire.WorkloadResponse.WaitingResponse;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.Resources;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes the response of a workload from what the model and the store say of it. */
public final class WorkloadShape {
    private static final WaitingResponse JUST_ARRIVED =
            new WaitingResponse("NOT_YET_CONSIDERED", null, "Arrived a moment ago and is looked at next.");

    private WorkloadShape() {}

    /** One that was stored a moment ago and that nobody has looked at. */
    public static WorkloadResponse accepted(Workload workload, Configuration configuration) {
        LocalQueue localQueue =
                configuration.localQueues().get(LocalQueue.key(workload.namespace(), workload.localQueue()));
        ClusterQueue queue =
                localQueue == null ? null : configuration.clusterQueues().get(localQueue.clusterQueue());
        return new WorkloadResponse(
                workload.id().value(),
                workload.name(),
                workload.namespace(),
                workload.localQueue(),
                localQueue == null ? null : localQueue.clusterQueue(),
                queue == null ? null : queue.team(),
                workload.priorityClass(),
                workload.priority(),
                WorkloadState.PENDING.name(),
                workload.createdAt(),
                workload.createdAt(),
                null,
                null,
                null,
                text(workload.expectedDuration()),
                text(workload.maxDuration()),
                podSets(workload),
                null,
                amounts(workload.charge()),
                JUST_ARRIVED,
                null,
                true,
                List.of(),
                List.of(),
                0,
                null,
                null,
                null,
                null,
                null,
                false,
                List.of());
    }

    /**
     * @param waiting null = it does not wait, or nothing is known of why
     * @param borrowed the part of its charge that its queue borrows now, by quota key
     */
    public static WorkloadResponse of(
            WorkloadRow row, @Nullable WaitingResponse waiting, SortedMap<String, Long> borrowed) {
        Workload workload = row.workload();
        Assignment assignment = row.status().assignment();
        Particulars particulars = row.status().particulars();
        return new WorkloadResponse(
                workload.id().value(),
                workload.name(),
                workload.namespace(),
                row.status().localQueue(),
                row.status().clusterQueue(),
                row.team(),
                row.status().priorityClass(),
                row.status().priority(),
                state(row).name(),
                workload.createdAt(),
                row.status().queuedAt(),
                row.status().admittedAt(),
                row.startedAt(),
                row.finishedAt(),
                text(workload.expectedDuration()),
                text(workload.maxDuration()),
                podSets(workload),
                assignment == null ? null : admission(assignment, borrowed),
                amounts(charge(row)),
                waiting,
                row.failure(),
                row.deciding(),
                row.evictions().stream()
                        .map(eviction -> new EvictionResponse(
                                eviction.reason(),
                                eviction.preemptor() == null
                                        ? null
                                        : eviction.preemptor().value(),
                                eviction.at()))
                        .toList(),
                counts(particulars.reclaimablePods()),
                row.status().evictionCount(),
                particulars.lostTime().isZero() ? null : text(particulars.lostTime()),
                particulars.checkpointAt(),
                startFailures(particulars),
                particulars.stopsAt(),
                particulars.leavingSince(),
                particulars.stuck(),
                checks(particulars));
    }

    /** Who cancelled reads that it is cancelled, although the leader has still to say so. */
    public static WorkloadState state(WorkloadRow row) {
        WorkloadState state = row.status().state();
        if (!row.cancelling() || state.isFinal()) {
            return state;
        }
        return state.canBecome(WorkloadState.CANCELLED) && state != WorkloadState.EVICTING
                ? WorkloadState.CANCELLED
                : WorkloadState.EVICTING;
    }

    private static AdmissionResponse admission(Assignment assignment, SortedMap<String, Long> borrowed) {
        return new AdmissionResponse(
                assignment.podSets().stream()
                        .map(podSet -> new PodSetAdmission(podSet.name(), podSet.count(), podSet.flavors()))
                        .toList(),
                amounts(borrowed));
    }

    private static List<CheckResponse> checks(Particulars particulars) {
        return particulars.checks().entrySet().stream()
                .map(entry -> new CheckResponse(
                        entry.getKey(),
                        Choice.CHECK_STATE.word(entry.getValue().state()),
                        entry.getValue().message(),
                        entry.getValue().retryCount(),
                        entry.getValue().podSetUpdates().stream()
                                .map(PodSetUpdateBody::of)
                                .toList()))
                .toList();
    }

    private static @Nullable StartFailures startFailures(Particulars particulars) {
        String reason = particulars.failedStart();
        return reason == null ? null : new StartFailures(particulars.failedStarts(), reason);
    }

    private static List<PodCount> counts(SortedMap<String, Integer> pods) {
        return pods.entrySet().stream()
                .map(entry -> new PodCount(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static SortedMap<String, Long> charge(WorkloadRow row) {
        Particulars particulars = row.status().particulars();
        List<PodSet> podSets = row.workload().podSets();
        Assignment assignment = row.status().assignment();
        return assignment == null
                ? row.workload()
                        .asking(ActivePods.remaining(podSets, particulars.reclaimablePods()))
                        .charge()
                : ActivePods.occupied(assignment, podSets, particulars.activePods())
                        .charge();
    }

    private static List<PodSetResponse> podSets(Workload workload) {
        return workload.podSets().stream().map(WorkloadShape::podSet).toList();
    }

    private static PodSetResponse podSet(PodSet podSet) {
        return new PodSetResponse(podSet.name(), podSet.count(), podSet.minCount(), amounts(podSet.requests()));
    }

    private static SortedMap<String, String> amounts(SortedMap<String, Long> amounts) {
        SortedMap<String, String> texts = new TreeMap<>();
        amounts.forEach((resource, amount) -> texts.put(resource, Resources.format(resource, amount)));
        return texts;
    }

    private static @Nullable String text(@Nullable Duration duration) {
        return duration == null ? null : duration.toString();
    }
}
