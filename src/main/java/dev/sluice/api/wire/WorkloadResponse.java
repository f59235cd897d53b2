package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A workload as REST shows it.
 *
 * @param clusterQueue null = its LocalQueue leads nowhere now
 * @param admittedAt null = it holds no quota, and no place is set aside for it
 * @param admission null = it holds nothing
 * @param charge what its pods cost, those that are done left out, by quota key
 * @param waiting null = it does not wait
 * @param failure why it failed; null = it did not
 * @param deciding true = a wish about it is stored and not yet decided
 * @param evictions latest first
 * @param reclaimablePods pods that are done; their quota is free again
 * @param lostTime how long it held quota for work that evictions lost; null = none was
 * @param checkpointAt when it last told, in its present run, that its work is saved; null = never
 * @param startFailures null = its pods started, or were never tried
 * @param admissionChecks those of its present or last reservation
 * @param leavingSince when it was told to leave; null = it was not
 * @param stuck whether its pods should have ended long since
 * @param stopsAt when it is evicted unless quota covers it again; null = it may stay
 */
public record WorkloadResponse(
        String id,
        String name,
        String namespace,
        String queue,
        @Nullable String clusterQueue,
        @Nullable String team,
        @Nullable String priorityClass,
        int priority,
        String state,
        Instant createdAt,
        Instant queuedAt,
        @Nullable Instant admittedAt,
        @Nullable Instant startedAt,
        @Nullable Instant finishedAt,
        @Nullable String expectedDuration,
        @Nullable String maxDuration,
        List<PodSetResponse> podSets,
        @Nullable AdmissionResponse admission,
        SortedMap<String, String> charge,
        @Nullable WaitingResponse waiting,
        @Nullable String failure,
        boolean deciding,
        List<EvictionResponse> evictions,
        List<PodCount> reclaimablePods,
        int evictionCount,
        @Nullable String lostTime,
        @Nullable Instant checkpointAt,
        @Nullable StartFailures startFailures,
        @Nullable Instant stopsAt,
        @Nullable Instant leavingSince,
        boolean stuck,
        List<CheckResponse> admissionChecks) {
    /**
     * @param state {@code Pending}, {@code Ready}, {@code Retry} or {@code Rejected}
     * @param podSetUpdates what it adds to the pods when they are let go
     */
    public record CheckResponse(
            String name, String state, String message, int retryCount, List<PodSetUpdateBody> podSetUpdates) {}

    /** @param lastReason why the last of them failed */
    public record StartFailures(int inARow, String lastReason) {}

    /** @param count pods of the pod set that are done and hold nothing any more */
    public record PodCount(String name, int count) {}

    /**
     * @param minCount fewest pods with which it may start; null = all of them
     * @param requests per pod, by quota key
     */
    public record PodSetResponse(
            String name, int count, @Nullable Integer minCount, SortedMap<String, String> requests) {}

    /** @param borrowed what its queue borrows now, as far as this workload's charge may be it, by quota key */
    public record AdmissionResponse(List<PodSetAdmission> podSets, SortedMap<String, String> borrowed) {}

    public record PodSetAdmission(String name, int count, Map<String, String> flavors) {}

    /**
     * @param reason code
     * @param position 1 = first in the true order of its ClusterQueue; null = not known at this moment
     */
    public record WaitingResponse(String reason, @Nullable Integer position, String message) {}

    /** @param by id of the preemptor; null = not a preemption */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record EvictionResponse(String reason, @Nullable String by, Instant at) {}
}
