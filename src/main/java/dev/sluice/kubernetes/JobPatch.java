package dev.sluice.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The JSON Patches (RFC 6902) by which a Job is moved. Each first tests that it meets the Job that was looked at: its uid, and the
 * fence last seen; the API server applies all of it or nothing. None names a resource version, since the Job controller's updates of
 * the status would make that fail.
 */
final class JobPatch {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SUSPEND = "/spec/suspend";
    private static final String PARALLELISM = "/spec/parallelism";
    private static final String TEMPLATE = "/spec/template/spec/";
    private static final String TEMPLATE_METADATA = "/spec/template/metadata/";

    private final ArrayNode operations = JsonNodeFactory.instance.arrayNode();

    private JobPatch(JobSnapshot job) {
        test("/metadata/uid", text(job.uid()));
        test(
                annotation(JobLabels.FENCE),
                job.fence() == null ? JsonNodeFactory.instance.nullNode() : text(job.fence()),
                job.annotated());
    }

    static String release(WantedJob wanted, JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        patch.test(SUSPEND, JsonNodeFactory.instance.booleanNode(true));
        // What was counted is what is let go.
        patch.test("/metadata/generation", JsonNodeFactory.instance.numberNode(job.generation()));
        ObjectNode before = JsonNodeFactory.instance.objectNode();
        if (wanted.isElsewhere(job)) {
            patch.queue(wanted, job);
        }
        if (wanted.placement() != null && wanted.placement().first() != null) {
            patch.place(wanted.placement().first(), job, before);
        }
        patch.annotate(
                job,
                Map.of(
                        JobLabels.FENCE, Long.toString(wanted.fence()),
                        JobLabels.RELEASED,
                                new ReleaseMark(wanted.fence(), job.status().succeeded(), before).text(job.uid())));
        patch.add("replace", SUSPEND, JsonNodeFactory.instance.booleanNode(false));
        return patch.text();
    }

    static String putBackQueue(WantedJob wanted, JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        patch.queue(wanted, job);
        return patch.text();
    }

    /** By the label by which its manifest named a queue; another that names one goes, if it names another queue. */
    private void queue(WantedJob wanted, JobSnapshot job) {
        String queue = Objects.requireNonNull(wanted.workload()).localQueue();
        String label = Objects.requireNonNullElse(JobBody.queueLabel(wanted.manifest()), JobLabels.QUEUES.getFirst());
        SortedMap<String, String> labels = job.queueLabels();
        if (labels == null) {
            add("add", "/metadata/labels", JSON.valueToTree(Map.of(label, queue)));
            return;
        }
        add("add", label(label), text(queue));
        labels.forEach((key, named) -> {
            if (!key.equals(label) && !named.equals(queue)) {
                operation("remove", label(key));
            }
        });
    }

    /** Whether a release has to change fields that some servers let change only before the first start. */
    static boolean changesTemplate(WantedJob wanted, JobSnapshot job) {
        PodSetPlacement pods =
                wanted.placement() == null ? null : wanted.placement().first();
        return pods != null
                && (!with(job.nodeSelector(), pods.nodeSelector()).equals(job.nodeSelector())
                        || !tolerations(pods, job).equals(job.tolerations())
                        || !with(job.podLabels(), pods.labels()).equals(job.podLabels())
                        || !with(job.podAnnotations(), pods.annotations()).equals(job.podAnnotations()));
    }

    /** What of the labels and annotations that are to be added its pods have otherwise already; null = nothing. */
    static @Nullable String contradiction(WantedJob wanted, JobSnapshot job) {
        PodSetPlacement pods =
                wanted.placement() == null ? null : wanted.placement().first();
        if (pods == null) {
            return null;
        }
        String label = contradiction("label", job.podLabels(), pods.labels());
        return label != null ? label : contradiction("annotation", job.podAnnotations(), pods.annotations());
    }

    private static @Nullable String contradiction(
            String kind, SortedMap<String, String> there, SortedMap<String, String> wanted) {
        return wanted.entrySet().stream()
                .filter(want -> !want.getValue().equals(there.getOrDefault(want.getKey(), want.getValue())))
                .findFirst()
                .map(want -> "an admission check wants %s %s=%s on its pods, and they have %s"
                        .formatted(kind, want.getKey(), want.getValue(), there.get(want.getKey())))
                .orElse(null);
    }

    private void place(PodSetPlacement pods, JobSnapshot job, ObjectNode before) {
        put(TEMPLATE, ReleaseMark.NODE_SELECTOR, job.nodeSelector(), pods.nodeSelector(), before);
        put(TEMPLATE_METADATA, ReleaseMark.LABELS, job.podLabels(), pods.labels(), before);
        put(TEMPLATE_METADATA, ReleaseMark.ANNOTATIONS, job.podAnnotations(), pods.annotations(), before);
        List<Toleration> tolerations = tolerations(pods, job);
        if (!tolerations.equals(job.tolerations())) {
            before.set(ReleaseMark.TOLERATIONS, orNull(job.tolerations().isEmpty(), job.tolerations()));
            add("add", TEMPLATE + ReleaseMark.TOLERATIONS, JSON.valueToTree(tolerations));
        }
        int parallelism = parallelismMax(pods, job);
        if (job.parallelism() > parallelism) {
            before.put(ReleaseMark.PARALLELISM, job.parallelism());
            add("replace", PARALLELISM, JsonNodeFactory.instance.numberNode(parallelism));
        }
    }

    private void put(
            String place,
            String field,
            SortedMap<String, String> there,
            SortedMap<String, String> added,
            ObjectNode before) {
        SortedMap<String, String> all = with(there, added);
        if (!all.equals(there)) {
            before.set(field, orNull(there.isEmpty(), there));
            add("add", place + field, JSON.valueToTree(all));
        }
    }

    /** With how much parallelism no more pods run than were admitted; one for all completions at once bounds nothing. */
    static int parallelismMax(PodSetPlacement pods, JobSnapshot job) {
        Integer completions = job.completions();
        return completions != null && completions <= pods.count() ? Integer.MAX_VALUE : pods.count();
    }

    private static SortedMap<String, String> with(SortedMap<String, String> there, SortedMap<String, String> added) {
        SortedMap<String, String> all = new TreeMap<>(there);
        all.putAll(added);
        return all;
    }

    private static List<Toleration> tolerations(PodSetPlacement pods, JobSnapshot job) {
        List<Toleration> all = new ArrayList<>(job.tolerations());
        for (dev.sluice.quota.Toleration added : pods.tolerations()) {
            Toleration toleration = new Toleration(
                    emptyToNull(added.effect()),
                    emptyToNull(added.key()),
                    emptyToNull(added.operator()),
                    added.tolerationSeconds(),
                    emptyToNull(added.value()));
            if (!all.contains(toleration)) {
                all.add(toleration);
            }
        }
        return all;
    }

    /** What ran without a release is marked as such, so that its pods are waited for. */
    static String suspend(WantedJob wanted, JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        SortedMap<String, String> annotations = new TreeMap<>();
        if (wanted.fence() > job.fenceOrFirst()) {
            annotations.put(JobLabels.FENCE, Long.toString(wanted.fence()));
        }
        if (!job.suspended() && job.mark() == null) {
            annotations.put(JobLabels.RELEASED, ReleaseMark.none().text(job.uid()));
        }
        if (wanted.retired()) {
            annotations.put(JobLabels.CANCELLED, job.uid());
        }
        patch.annotate(job, annotations);
        patch.add("add", SUSPEND, JsonNodeFactory.instance.booleanNode(true));
        return patch.text();
    }

    /** Of a Job that is stopped already. */
    static String retire(JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        patch.test(SUSPEND, JsonNodeFactory.instance.booleanNode(true));
        patch.annotate(job, Map.of(JobLabels.CANCELLED, job.uid()));
        return patch.text();
    }

    /** Of a Job that nobody knows: the fence that it has was another's. */
    static String beginAnew(JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        patch.annotate(job, Map.of(JobLabels.FENCE, Long.toString(Cluster.FIRST_FENCE)));
        return patch.text();
    }

    /** What was released under the fence before stays released under the new one. */
    static String raiseFence(WantedJob wanted, JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        SortedMap<String, String> annotations = new TreeMap<>();
        annotations.put(JobLabels.FENCE, Long.toString(wanted.fence()));
        if (job.isReleased() && job.mark() != null) {
            annotations.put(
                    JobLabels.RELEASED,
                    job.mark().with(wanted.fence(), job.mark().before()).text(job.uid()));
        }
        patch.annotate(job, annotations);
        return patch.text();
    }

    /** Remembers the number that it found, unless an earlier one is remembered. */
    static String trim(WantedJob wanted, JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        ReleaseMark mark = Objects.requireNonNullElseGet(job.mark(), ReleaseMark::none);
        if (!mark.before().has(ReleaseMark.PARALLELISM)) {
            ObjectNode before = mark.before().deepCopy();
            before.put(ReleaseMark.PARALLELISM, job.parallelism());
            patch.annotate(
                    job,
                    Map.of(JobLabels.RELEASED, mark.with(mark.fence(), before).text(job.uid())));
        }
        int parallelism = parallelismMax(
                Objects.requireNonNull(
                        Objects.requireNonNull(wanted.placement()).first()),
                job);
        patch.add("replace", PARALLELISM, JsonNodeFactory.instance.numberNode(parallelism));
        return patch.text();
    }

    static String forgetTrim(JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        ReleaseMark mark = Objects.requireNonNull(job.mark());
        ObjectNode before = mark.before().deepCopy();
        before.remove(ReleaseMark.PARALLELISM);
        patch.annotate(
                job, Map.of(JobLabels.RELEASED, mark.with(mark.fence(), before).text(job.uid())));
        return patch.text();
    }

    /** Of the status: without the condition, the Job controller has to set it again. */
    static String ask(JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        String condition = "/status/conditions/" + job.status().suspendedAt();
        patch.test(condition + "/type", text("Suspended"));
        patch.operation("remove", condition);
        return patch.text();
    }

    /** Of the status. */
    static String clearStartTime(JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        patch.test(SUSPEND, JsonNodeFactory.instance.booleanNode(true));
        patch.operation("remove", "/status/startTime");
        return patch.text();
    }

    static String restore(JobSnapshot job) {
        JobPatch patch = new JobPatch(job);
        patch.test(SUSPEND, JsonNodeFactory.instance.booleanNode(true));
        ObjectNode before = Objects.requireNonNull(job.mark()).before();
        patch.putBack(
                before,
                ReleaseMark.NODE_SELECTOR,
                TEMPLATE + ReleaseMark.NODE_SELECTOR,
                !job.nodeSelector().isEmpty());
        patch.putBack(
                before,
                ReleaseMark.TOLERATIONS,
                TEMPLATE + ReleaseMark.TOLERATIONS,
                !job.tolerations().isEmpty());
        patch.putBack(
                before,
                ReleaseMark.LABELS,
                TEMPLATE_METADATA + ReleaseMark.LABELS,
                !job.podLabels().isEmpty());
        patch.putBack(
                before,
                ReleaseMark.ANNOTATIONS,
                TEMPLATE_METADATA + ReleaseMark.ANNOTATIONS,
                !job.podAnnotations().isEmpty());
        patch.putBack(before, ReleaseMark.PARALLELISM, PARALLELISM, true);
        patch.operation("remove", annotation(JobLabels.RELEASED));
        return patch.text();
    }

    private void putBack(ObjectNode before, String field, String path, boolean there) {
        JsonNode value = before.get(field);
        if (value == null) {
            return;
        }
        if (!value.isNull()) {
            add("add", path, value);
        } else if (there) {
            operation("remove", path);
        }
    }

    private void annotate(JobSnapshot job, Map<String, String> annotations) {
        if (!job.annotated() && !annotations.isEmpty()) {
            add("add", "/metadata/annotations", JSON.valueToTree(new TreeMap<>(annotations)));
            return;
        }
        new TreeMap<>(annotations).forEach((key, value) -> add("add", annotation(key), text(value)));
    }

    private void test(String path, JsonNode value) {
        test(path, value, true);
    }

    /** A test for the absence of an annotation needs the place where it would be. */
    private void test(String path, JsonNode value, boolean placeIsThere) {
        add("test", placeIsThere ? path : "/metadata/annotations", value);
    }

    private void add(String operation, String path, JsonNode value) {
        operation(operation, path).set("value", value);
    }

    private ObjectNode operation(String operation, String path) {
        return operations.addObject().put("op", operation).put("path", path);
    }

    private String text() {
        return operations.toString();
    }

    private static JsonNode orNull(boolean absent, Object value) {
        return absent ? JsonNodeFactory.instance.nullNode() : JSON.valueToTree(value);
    }

    private static JsonNode text(String value) {
        return JsonNodeFactory.instance.textNode(value);
    }

    private static String label(String key) {
        return "/metadata/labels/" + pointer(key);
    }

    private static String annotation(String key) {
        return "/metadata/annotations/" + pointer(key);
    }

    private static String pointer(String key) {
        return key.replace("~", "~0").replace("/", "~1");
    }

    private static @Nullable String emptyToNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
