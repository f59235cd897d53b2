package dev.sluice.testkit.controlplane;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A Job as its author would write it: {@code aJob("train").in("research").queue("main").asks("nvidia.com/gpu", "2").suspended()}. */
public final class TestJob {
    private final String name;
    private String namespace = "default";
    private @Nullable String queue;
    private String queueLabel = "sluice.dev/queue-name";
    private @Nullable String priorityClass;
    private int pods = 1;
    private int completions = 1;
    private boolean suspended;
    private final SortedMap<String, Quantity> requests = new TreeMap<>();
    private final SortedMap<String, String> podAnnotations = new TreeMap<>();
    private final SortedMap<String, String> nodeSelector = new TreeMap<>();

    private TestJob(String name) {
        this.name = name;
    }

    public static TestJob aJob(String name) {
        return new TestJob(name);
    }

    public TestJob in(String chosen) {
        namespace = chosen;
        return this;
    }

    public TestJob queue(String chosen) {
        queue = chosen;
        return this;
    }

    /** With the label that manifests written for Kueue carry. */
    public TestJob kueueQueue(String chosen) {
        queueLabel = "kueue.x-k8s.io/queue-name";
        return queue(chosen);
    }

    public TestJob priorityClass(String chosen) {
        priorityClass = chosen;
        return this;
    }

    /** As many at once and in all. */
    public TestJob pods(int count) {
        pods = count;
        completions = count;
        return this;
    }

    public TestJob completions(int count) {
        completions = count;
        return this;
    }

    public TestJob suspended() {
        suspended = true;
        return this;
    }

    /** Per pod; a limit of the same amount comes with an extended resource, as the API server wants it. */
    public TestJob asks(String resource, String amount) {
        requests.put(resource, new Quantity(amount));
        return this;
    }

    public TestJob runsFor(Duration time) {
        podAnnotations.put(FakeKubelet.RUN_FOR, time.toString());
        return this;
    }

    public TestJob fails() {
        podAnnotations.put(FakeKubelet.EXIT, "1");
        return this;
    }

    public TestJob onNodesWith(String label, String value) {
        nodeSelector.put(label, value);
        return this;
    }

    public Job build() {
        SortedMap<String, Quantity> limits = new TreeMap<>(requests);
        limits.keySet().removeIf(resource -> !resource.contains("/"));
        JobBuilder job = new JobBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .withNewSpec()
                .withParallelism(pods)
                .withCompletions(completions)
                .withBackoffLimit(0)
                .withSuspend(suspended)
                .withNewTemplate()
                .withNewMetadata()
                .withAnnotations(podAnnotations)
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withNodeSelector(nodeSelector)
                .withTolerations(new Toleration(null, "test/own", "Exists", null, null))
                .addNewContainer()
                .withName("main")
                .withImage("example.com/train")
                .withNewResources()
                .withRequests(requests)
                .withLimits(limits)
                .endResources()
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec();
        if (queue != null) {
            job.editMetadata().addToLabels(queueLabel, queue).endMetadata();
        }
        if (priorityClass != null) {
            job.editMetadata()
                    .addToLabels("sluice.dev/priority-class", priorityClass)
                    .endMetadata();
        }
        return job.build();
    }
}
