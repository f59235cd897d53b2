package dev.sluice.api.wire;

import dev.sluice.api.wire.WorkloadDraft.PodSetDraft;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.DeviceResources;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.NearestNames;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.scheduling.Submission;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.QuotaCharge;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks a draft's names up in the configuration and counts what it asks for; what comes out is ready to be stored. */
public record WorkloadIntake(Configuration configuration, DeviceResources devices, QuotaCharge charge) {
    public static WorkloadIntake on(Configuration configuration, QuotaCharge charge) {
        return new WorkloadIntake(configuration, DeviceResources.of(configuration), charge);
    }

    /** @param bodyHash as in {@link Submission} */
    public record Sender(String caller, @Nullable String idempotencyKey, String bodyHash) {}

    /** @throws Rejection if the queue or the priority class is not configured */
    public Submission submission(WorkloadDraft draft, WorkloadId id, Sender sender) {
        return new Submission(
                id,
                draft.name(),
                draft.namespace(),
                queue(draft),
                draft.priorityClass(),
                priority(draft),
                podSets(draft),
                draft.expectedDuration(),
                draft.maxDuration(),
                draft.manifest(),
                sender.caller(),
                sender.idempotencyKey() == null && draft.uid() != null ? "uid:" + draft.uid() : sender.idempotencyKey(),
                sender.bodyHash());
    }

    /** For a dry run: the last in line among its equals. */
    public Workload hypothetical(WorkloadDraft draft, WorkloadId id, Instant now) {
        return new Workload(
                id,
                Long.MAX_VALUE,
                draft.name(),
                draft.namespace(),
                queue(draft),
                draft.priorityClass(),
                priority(draft),
                podSets(draft),
                now,
                draft.expectedDuration(),
                draft.maxDuration());
    }

    private String queue(WorkloadDraft draft) {
        if (!configuration.localQueues().containsKey(LocalQueue.key(draft.namespace(), draft.queue()))) {
            throw unknownQueue(configuration, draft.namespace(), draft.queue(), draft.queueField());
        }
        return draft.queue();
    }

    public static Rejection unknownQueue(Configuration configuration, String namespace, String queue, String field) {
        List<String> ofNamespace = configuration.localQueues().values().stream()
                .filter(one -> one.namespace().equals(namespace))
                .map(LocalQueue::name)
                .toList();
        List<String> nearest = NearestNames.of(queue, ofNamespace);
        return new Rejection(
                ProblemKind.UNKNOWN_QUEUE,
                "Namespace " + namespace + " has no LocalQueue " + queue + ".",
                List.of(new FieldViolation(
                        field,
                        queue,
                        "must name an existing LocalQueue of the namespace",
                        nearest.isEmpty() ? ofNamespace.stream().limit(3).toList() : nearest)));
    }

    private int priority(WorkloadDraft draft) {
        return draft.priorityClass() == null
                ? 0
                : priorityClass(configuration, draft.priorityClass(), draft.priorityClassField())
                        .value();
    }

    public static WorkloadPriorityClass priorityClass(Configuration configuration, String name, String field) {
        WorkloadPriorityClass found = configuration.priorityClasses().get(name);
        if (found == null) {
            List<String> nearest =
                    NearestNames.of(name, configuration.priorityClasses().keySet());
            throw new Rejection(
                    ProblemKind.UNKNOWN_PRIORITY_CLASS,
                    "There is no WorkloadPriorityClass " + name + ".",
                    List.of(new FieldViolation(
                            field,
                            name,
                            "must name an existing WorkloadPriorityClass",
                            nearest.isEmpty()
                                    ? configuration.priorityClasses().keySet().stream()
                                            .limit(3)
                                            .toList()
                                    : nearest)));
        }
        return found;
    }

    private List<PodSet> podSets(WorkloadDraft draft) {
        return draft.podSets().stream().map(this::podSet).toList();
    }

    private PodSet podSet(PodSetDraft draft) {
        return new PodSet(
                draft.name(),
                draft.count(),
                draft.minCount(),
                charge.of(draft.request(), devices),
                draft.nodeSelector(),
                draft.affinityTerms(),
                draft.tolerations(),
                null);
    }
}
