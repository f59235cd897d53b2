package dev.sluice.api.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.api.wire.Mistakes;
import dev.sluice.api.wire.NativeWorkload;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import dev.sluice.api.wire.WorkloadDraft;
import dev.sluice.api.wire.WorkloadDraft.PodSetDraft;
import dev.sluice.quota.KubernetesNames;
import dev.sluice.scheduling.PodRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads an unmodified batch/v1 Job as a workload. What matters for quota is checked here; the rest of the manifest is the API
 * server's to judge and passes through untouched.
 */
public final class JobManifest {
    public static final String API_VERSION = "batch/v1";
    public static final String KIND = "Job";

    private static final String JOB_CONTROLLER = "kubernetes.io/job-controller";
    private static final int NAME_LENGTH_MAX = 63;
    private static final String NAME_RULE =
            "must be a DNS name of up to 63 of a-z, 0-9, '-' and '.', each part beginning and ending with a letter or digit";
    private static final List<String> QUEUE_LABELS = List.of("sluice.dev/queue-name", "kueue.x-k8s.io/queue-name");
    private static final List<String> PRIORITY_LABELS =
            List.of("sluice.dev/priority-class", "kueue.x-k8s.io/priority-class");
    private static final String MAX_SECONDS_LABEL = "kueue.x-k8s.io/max-exec-time-seconds";
    private static final String MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism";
    private static final String EXPECTED_DURATION = "sluice.dev/expected-duration";
    private static final String MAX_DURATION = "sluice.dev/max-duration";

    private final Mistakes mistakes = new Mistakes();
    private final Field job;
    private final String nameSuffix;
    private final PodRules rules;

    private JobManifest(JsonNode document, String nameSuffix, PodRules rules) {
        this.job = Field.root(document, mistakes);
        this.nameSuffix = nameSuffix;
        this.rules = rules;
    }

    /**
     * @param nameSuffix random letters, which complete {@code generateName}
     * @param rules of the cluster that will run its pods
     * @throws Rejection naming every mistake
     * @throws dev.sluice.scheduling.ClusterUnavailable if the cluster's rules are not known yet
     */
    public static WorkloadDraft draft(JsonNode document, String nameSuffix, PodRules rules) {
        return new JobManifest(document, nameSuffix, rules).read(document);
    }

    private WorkloadDraft read(JsonNode document) {
        Field metadata = job.get("metadata");
        Map<String, String> labels =
                NativeWorkload.labels("metadata.labels.", metadata.get("labels").textMap(), mistakes);
        String queueLabel = firstOf(labels, QUEUE_LABELS);
        String priorityLabel = firstOf(labels, PRIORITY_LABELS);
        String queue = labels.get(queueLabel);
        if (queue == null || queue.isEmpty()) {
            mistakes.add("metadata.labels." + QUEUE_LABELS.getFirst(), null, "is required: it names the LocalQueue");
        }
        String name = name(metadata);
        String namespace = metadata.get("namespace").text(NativeWorkload.NAMESPACE_DEFAULT);
        if (!KubernetesNames.isLabel(namespace)) {
            mistakes.add("metadata.namespace", namespace, KubernetesNames.LABEL_RULE);
        }
        Map<String, String> annotations = metadata.get("annotations").textMap();
        PodSetDraft podSet = podSet(namespace, annotations);
        Duration expected = NativeWorkload.duration(
                "metadata.annotations." + EXPECTED_DURATION, annotations.get(EXPECTED_DURATION), mistakes);
        Duration max = maxDuration(labels, annotations);
        String uid = metadata.get("uid").text();
        mistakes.orThrow();
        return new WorkloadDraft(
                name,
                namespace,
                Objects.requireNonNull(queue),
                labels.get(priorityLabel),
                List.of(podSet),
                expected,
                max,
                document.toString(),
                uid,
                "metadata.labels." + queueLabel,
                "metadata.labels." + priorityLabel);
    }

    private static String firstOf(Map<String, String> labels, List<String> keys) {
        return keys.stream().filter(labels::containsKey).findFirst().orElse(keys.getFirst());
    }

    private String name(Field metadata) {
        String name = metadata.get("name").text();
        String prefix = metadata.get("generateName").text();
        if (name == null && prefix != null) {
            name = prefix.substring(0, Math.min(prefix.length(), NAME_LENGTH_MAX - nameSuffix.length())) + nameSuffix;
        }
        if (name == null) {
            mistakes.add("metadata.name", null, "is required");
            return "";
        }
        // It becomes a label of the pods, which is what bounds its length.
        if (name.length() > NAME_LENGTH_MAX || !KubernetesNames.isSubdomain(name)) {
            mistakes.add("metadata.name", name, NAME_RULE);
        }
        return name;
    }

    private PodSetDraft podSet(String namespace, Map<String, String> annotations) {
        Field spec = job.get("spec");
        Integer parallelism = count(spec.get("parallelism"));
        Integer completions = count(spec.get("completions"));
        int count = parallelism == null ? 1 : parallelism;
        if (completions != null) {
            count = Math.min(count, completions);
        }
        String managedBy = spec.get("managedBy").text();
        if (managedBy != null && !managedBy.equals(JOB_CONTROLLER)) {
            mistakes.add(
                    "spec.managedBy",
                    managedBy,
                    "must be absent or " + JOB_CONTROLLER
                            + ": only Jobs of that controller are known to stop when asked to");
        }
        if (spec.get("template").isMissing()) {
            mistakes.add("spec.template", null, "is required");
        }
        return new PodTemplate(spec.get("template"), mistakes, rules)
                .podSet("main", namespace, count, minCount(annotations, count));
    }

    private @Nullable Integer count(Field field) {
        Integer count = field.integer();
        if (count != null && count < 0) {
            mistakes.add(field.path(), count.toString(), "must not be negative");
            return null;
        }
        return count;
    }

    private @Nullable Integer minCount(Map<String, String> annotations, int count) {
        String text = annotations.get(MIN_PARALLELISM);
        if (text == null) {
            return null;
        }
        try {
            int min = Integer.parseInt(text);
            if (min >= 1 && min <= count) {
                return min;
            }
        } catch (NumberFormatException notANumber) {
            // told below, as a number that is out of range
        }
        mistakes.add("metadata.annotations." + MIN_PARALLELISM, text, "must be a whole number from 1 to " + count);
        return null;
    }

    private @Nullable Duration maxDuration(Map<String, String> labels, Map<String, String> annotations) {
        String seconds = labels.get(MAX_SECONDS_LABEL);
        if (seconds == null) {
            return NativeWorkload.duration(
                    "metadata.annotations." + MAX_DURATION, annotations.get(MAX_DURATION), mistakes);
        }
        return NativeWorkload.duration("metadata.labels." + MAX_SECONDS_LABEL, "PT" + seconds + "S", mistakes);
    }

    /** Kinds that are known and not taken yet get another answer than nonsense. */
    public static Rejection unsupported(String apiVersion, String kind) {
        return new Rejection(
                ProblemKind.UNSUPPORTED_KIND,
                "A workload is submitted as one batch/v1 Job, not as " + apiVersion + " " + kind + ".",
                List.of(new dev.sluice.api.wire.FieldViolation(
                        "kind",
                        apiVersion + "/" + kind,
                        "must be Job of batch/v1",
                        List.of(API_VERSION + "/" + KIND))));
    }
}
