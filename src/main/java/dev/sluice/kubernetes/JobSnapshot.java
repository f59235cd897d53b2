package dev.sluice.kubernetes;

import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.Placement;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatusBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.UncountedTerminatedPods;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What matters of a Job as it was at one version.
 *
 * @param version resource version; of two snapshots of one Job the larger is the newer
 * @param generation counts changes of its specification
 * @param workload the workload that it says it was created for; null = none
 * @param queueLabels those of its labels that name a queue; null = it has no labels at all
 * @param queue null = it names none
 * @param priorityClass null = it names none
 * @param annotated whether it has any annotation
 * @param fence as it is written, whatever that is; null = it carries none
 * @param mark null = no release is to be undone
 * @param checkpointedAt up to when it says that its work is saved; null = it does not say, or nothing that is a time
 * @param cancelled whether it says that its workload was cancelled, for good
 * @param deleting whether its deletion was asked for
 * @param completions null = it ends when one pod succeeds
 * @param podLabels of its pod template, like the annotations
 * @param mayShrink whether it says with how few pods it may start
 */
record JobSnapshot(
        String uid,
        String namespace,
        String name,
        long version,
        long generation,
        @Nullable String workload,
        @Nullable SortedMap<String, String> queueLabels,
        @Nullable String queue,
        @Nullable String priorityClass,
        boolean annotated,
        @Nullable String fence,
        @Nullable ReleaseMark mark,
        @Nullable Instant checkpointedAt,
        boolean cancelled,
        boolean suspended,
        boolean deleting,
        int parallelism,
        @Nullable Integer completions,
        boolean mayShrink,
        SortedMap<String, String> nodeSelector,
        List<Toleration> tolerations,
        SortedMap<String, String> podLabels,
        SortedMap<String, String> podAnnotations,
        Status status) {
    /** No leader comes so far; a larger one is nobody's, and leaves room to go beyond. */
    private static final long FENCE_MAX = Long.MAX_VALUE / 2;

    JobSnapshot {
        nodeSelector = Collections.unmodifiableSortedMap(new TreeMap<>(nodeSelector));
        tolerations = List.copyOf(tolerations);
        podLabels = Collections.unmodifiableSortedMap(new TreeMap<>(podLabels));
        podAnnotations = Collections.unmodifiableSortedMap(new TreeMap<>(podAnnotations));
    }

    /**
     * @param started whether a start time is set
     * @param suspendedAt index of the condition {@code Suspended} if it is true; -1 = it is not
     * @param active pods that are not at their end and not in deletion
     * @param terminating pods in deletion that are not at their end
     * @param saysAdmitted what its condition {@link JobLabels#ADMITTED} says; null = it has none
     * @param ending whether it will end of itself, suspended or not: the Job controller has still to count pods that came to their end,
     *     or has said already what will become of it
     * @param end null = it goes on
     * @param digest of everything that the Job controller says in the status; two that differ are of different statuses of its
     */
    record Status(
            boolean started,
            int suspendedAt,
            int active,
            int ready,
            int succeeded,
            int terminating,
            @Nullable Boolean saysAdmitted,
            boolean ending,
            @Nullable End end,
            int digest) {
        /** Whether the Job controller says that it is suspended and that no pod is left. It may be about to say otherwise. */
        boolean looksStopped() {
            return suspendedAt >= 0 && active == 0 && terminating == 0;
        }
    }

    /** @param message why it failed; empty if it succeeded */
    record End(boolean succeeded, String message) {}

    static JobSnapshot of(Job job) {
        ObjectMeta metadata = job.getMetadata();
        JobSpec spec = job.getSpec();
        PodSpec pods = spec.getTemplate().getSpec();
        ObjectMeta template = spec.getTemplate().getMetadata();
        Map<String, String> labels = orEmpty(metadata.getLabels());
        Map<String, String> annotations = orEmpty(metadata.getAnnotations());
        return new JobSnapshot(
                metadata.getUid(),
                metadata.getNamespace(),
                metadata.getName(),
                Long.parseLong(metadata.getResourceVersion()),
                Objects.requireNonNullElse(metadata.getGeneration(), 0L),
                annotations.get(JobLabels.WORKLOAD),
                metadata.getLabels() == null ? null : only(labels, JobLabels.QUEUES),
                firstOf(labels, JobLabels.QUEUES),
                firstOf(labels, JobLabels.PRIORITY_CLASSES),
                !annotations.isEmpty(),
                annotations.get(JobLabels.FENCE),
                ReleaseMark.parse(annotations.get(JobLabels.RELEASED), metadata.getUid()),
                time(annotations.get(JobLabels.CHECKPOINTED)),
                metadata.getUid().equals(annotations.get(JobLabels.CANCELLED)),
                Boolean.TRUE.equals(spec.getSuspend()),
                metadata.getDeletionTimestamp() != null,
                Objects.requireNonNullElse(spec.getParallelism(), 1),
                spec.getCompletions(),
                annotations.containsKey(JobLabels.MIN_PARALLELISM),
                new TreeMap<>(orEmpty(pods.getNodeSelector())),
                pods.getTolerations() == null ? List.of() : pods.getTolerations(),
                new TreeMap<>(template == null ? Map.of() : orEmpty(template.getLabels())),
                new TreeMap<>(template == null ? Map.of() : orEmpty(template.getAnnotations())),
                status(job.getStatus()));
    }

    /** Whether it is one that Sluice manages or is asked to; also if its queue's name was taken away meanwhile. */
    static boolean isManaged(Job job) {
        return JobLabels.QUEUES.stream().anyMatch(orEmpty(job.getMetadata().getLabels())::containsKey)
                || JobLabels.ANNOTATIONS.stream()
                        .anyMatch(orEmpty(job.getMetadata().getAnnotations())::containsKey);
    }

    private static SortedMap<String, String> only(Map<String, String> labels, List<String> keys) {
        SortedMap<String, String> only = new TreeMap<>(labels);
        only.keySet().retainAll(keys);
        return only;
    }

    private static @Nullable String firstOf(Map<String, String> labels, List<String> keys) {
        return keys.stream()
                .filter(labels::containsKey)
                .findFirst()
                .map(labels::get)
                .orElse(null);
    }

    boolean queued() {
        return queue != null;
    }

    /** A Job that carries no fence, or something that is none, has the first one. */
    long fenceOrFirst() {
        Long number = number(fence);
        return number == null ? Cluster.FIRST_FENCE : number;
    }

    /** Whether it runs because a leader let it go under the fence that it has, not because somebody unsuspended it by hand. */
    boolean isReleased() {
        return !suspended && mark != null && mark.fence() == fenceOrFirst();
    }

    /**
     * Pods that will not run again, since fewer completions are left than may run at once; by the name of the one pod set. Of those
     * that its author asked for: that a release let go only what was left is no news, unless fewer were admitted to begin with.
     */
    SortedMap<String, Integer> done() {
        SortedMap<String, Integer> done = new TreeMap<>();
        if (completions != null) {
            int atOnce = Math.min(mayShrink ? parallelism : parallelismAsked(), completions);
            int left = Math.max(0, completions - status.succeeded);
            if (left < atOnce) {
                done.put(JobLabels.POD_SET, atOnce - left);
            }
        }
        return done;
    }

    /**
     * To how many pods its author scaled it down while it runs; null = it was not, or pods beyond that number are still there. Before
     * the Job controller first counted its pods, a scaled Job may be about to have more.
     */
    @Nullable Integer scaledDownTo(@Nullable Placement admitted) {
        PodSetPlacement pods = admitted == null ? null : admitted.first();
        boolean fewer = pods != null && parallelism < pods.count();
        boolean counted = status.active > 0 || runsNoneOnPurpose();
        boolean settled = counted && status.active + status.terminating <= parallelism;
        return fewer && settled && !isTrimmed() ? Integer.valueOf(parallelism) : null;
    }

    /** Its author wants no pods, and the Job controller knows that it was let go. */
    private boolean runsNoneOnPurpose() {
        return parallelism == 0 && status.started && status.suspendedAt < 0;
    }

    /** Whether a release or a trim left it fewer pods than its author wants, to be put back by the stop. */
    boolean isTrimmed() {
        return mark != null && mark.before().has(ReleaseMark.PARALLELISM);
    }

    /** How many pods its author wants now; a release or a trim may have left it fewer. */
    int parallelismAsked() {
        return mark == null
                ? parallelism
                : mark.before().path(ReleaseMark.PARALLELISM).asInt(parallelism);
    }

    boolean isReady() {
        return isReadyWith(status.ready, status.succeeded);
    }

    /**
     * Whether as many pods are ready, or came as far as their end in this run, as may run at once: where pods are short, those that
     * take the places of others may never be ready all at the same moment.
     *
     * @param succeeded pods in all runs
     */
    boolean isReadyWith(int ready, int succeeded) {
        int before = mark == null ? 0 : mark.succeeded();
        int came = ready + Math.max(0, succeeded - before);
        int left = completions == null ? Integer.MAX_VALUE : Math.max(0, completions - before);
        boolean begun = came > 0 || runsNoneOnPurpose();
        return !suspended && begun && came >= Math.min(parallelism, left);
    }

    private static Status status(@Nullable JobStatus status) {
        if (status == null) {
            return new Status(false, -1, 0, 0, 0, 0, null, false, null, 0);
        }
        List<JobCondition> conditions = status.getConditions() == null ? List.of() : status.getConditions();
        int suspendedAt = -1;
        boolean ending = hasUncountedPods(status);
        End end = null;
        for (int index = 0; index < conditions.size(); index++) {
            JobCondition condition = conditions.get(index);
            if (!"True".equals(condition.getStatus())) {
                continue;
            }
            switch (condition.getType()) {
                case "Suspended" -> suspendedAt = index;
                case "SuccessCriteriaMet", "FailureTarget" -> ending = true;
                case "Complete" -> end = new End(true, "");
                case "Failed" -> end = new End(false, words(condition));
                default -> {}
            }
        }
        return new Status(
                status.getStartTime() != null,
                suspendedAt,
                count(status.getActive()),
                count(status.getReady()),
                count(status.getSucceeded()),
                count(status.getTerminating()),
                saysAdmitted(conditions),
                ending,
                end,
                ofController(status, conditions).toString().hashCode());
    }

    private static boolean hasUncountedPods(JobStatus status) {
        UncountedTerminatedPods uncounted = status.getUncountedTerminatedPods();
        return uncounted != null
                && !(uncounted.getSucceeded().isEmpty() && uncounted.getFailed().isEmpty());
    }

    private static @Nullable Boolean saysAdmitted(List<JobCondition> conditions) {
        return conditions.stream()
                .filter(condition -> condition.getType().equals(JobLabels.ADMITTED))
                .findFirst()
                .map(condition -> "True".equals(condition.getStatus()))
                .orElse(null);
    }

    /** What Sluice says there is no answer of the controller to a stop. */
    private static JobStatus ofController(JobStatus status, List<JobCondition> conditions) {
        List<JobCondition> own = conditions.stream()
                .filter(condition -> !condition.getType().equals(JobLabels.ADMITTED))
                .toList();
        return own.size() == conditions.size()
                ? status
                : new JobStatusBuilder(status).withConditions(own).build();
    }

    private static String words(JobCondition condition) {
        String reason = Objects.requireNonNullElse(condition.getReason(), "Failed");
        return condition.getMessage() == null || condition.getMessage().isEmpty()
                ? reason
                : reason + ": " + condition.getMessage();
    }

    private static int count(@Nullable Integer number) {
        return number == null ? 0 : number;
    }

    private static @Nullable Instant time(@Nullable String text) {
        try {
            return text == null ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException garbled) {
            return null;
        }
    }

    private static @Nullable Long number(@Nullable String text) {
        try {
            Long number = text == null ? null : Long.valueOf(text);
            return number == null || number < 1 || number > FENCE_MAX ? null : number;
        } catch (NumberFormatException garbled) {
            return null;
        }
    }

    private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
