package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.fleet.FleetEffect;
import dev.sluice.fleet.FleetEffect.Kind;
import dev.sluice.testkit.controlplane.AuditLog.Change;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What took hold on a cluster, told from the API server's audit log alone: every Job's creation, releases, stops and end, and every
 * pod's life from its creation to its end. A Job counts as gone when it was stopped and none of its pods lives; a pod lives until it has
 * succeeded or failed or is deleted. Uses none of the code that decides, stores or releases.
 */
final class ClusterAudit {
    private final List<FleetEffect> effects = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final Map<String, JobLife> jobs = new HashMap<>();
    /** Live pods by uid: what each holds, in thousandths of a core. */
    private final Map<String, LivePod> pods = new HashMap<>();

    private final long quota;
    private long held;
    private long heldMost;
    private int releases;

    private record LivePod(String job, long cpu) {}

    private static final class JobLife {
        final WorkloadId workload;
        boolean released;
        boolean stopped;
        boolean ended;

        JobLife(WorkloadId workload) {
            this.workload = workload;
        }
    }

    private ClusterAudit(long quota) {
        this.quota = quota;
    }

    /** @param quota of all queues together, in thousandths of a core */
    static ClusterAudit of(List<Change> changes, long quota) {
        ClusterAudit audit = new ClusterAudit(quota);
        for (Change change : changes) {
            if (change.resource().equals("jobs")) {
                audit.readJob(change);
            } else {
                audit.readPod(change);
            }
        }
        audit.pods.forEach((uid, pod) -> audit.findings.add("pod " + uid + " of " + pod.job() + " lives on"));
        return audit;
    }

    List<FleetEffect> effects() {
        return effects;
    }

    List<String> findings() {
        return findings;
    }

    /** The most that live pods ever held together, in thousandths of a core. */
    long heldMost() {
        return heldMost;
    }

    int releases() {
        return releases;
    }

    private void readJob(Change change) {
        JsonNode job = change.response();
        String uid = job.path("metadata").path("uid").asText();
        if (change.verb().equals("create")) {
            String annotated = job.path("metadata")
                    .path("annotations")
                    .path("sluice.dev/workload-id")
                    .asText(uid);
            JobLife life = new JobLife(new WorkloadId(annotated));
            jobs.put(uid, life);
            tell(Kind.CREATED, life, change.at());
            return;
        }
        JobLife life = jobs.get(uid);
        if (life == null) {
            return;
        }
        Boolean suspend = suspended(change.request());
        if (Boolean.FALSE.equals(suspend)) {
            if (life.stopped && livePods(uid) == 0) {
                tell(Kind.GONE, life, change.at());
            }
            tell(Kind.RELEASED, life, change.at());
            life.released = true;
            life.stopped = false;
            releases++;
        } else if (Boolean.TRUE.equals(suspend) && life.released) {
            tell(Kind.STOPPED, life, change.at());
            life.stopped = true;
        }
        if (!life.ended && isTrue(job, "Complete")) {
            life.ended = true;
            tell(Kind.SUCCEEDED, life, change.at());
        } else if (!life.ended && isTrue(job, "Failed")) {
            life.ended = true;
            tell(Kind.FAILED, life, change.at());
        }
    }

    /** What a patch says of it; null = nothing. */
    private static @Nullable Boolean suspended(JsonNode patch) {
        for (JsonNode operation : patch) {
            String name = operation.path("op").asText();
            if (operation.path("path").asText().equals("/spec/suspend") && !name.equals("test")) {
                return operation.path("value").asBoolean();
            }
        }
        return null;
    }

    private static boolean isTrue(JsonNode job, String condition) {
        for (JsonNode one : job.path("status").path("conditions")) {
            if (one.path("type").asText().equals(condition)
                    && one.path("status").asText().equals("True")) {
                return true;
            }
        }
        return false;
    }

    private void readPod(Change change) {
        JsonNode pod = change.response();
        String uid = pod.path("metadata").path("uid").asText();
        String phase = pod.path("status").path("phase").asText();
        if (change.verb().equals("create") && change.subresource().isEmpty()) {
            begin(uid, pod, change.at());
        } else if (phase.equals("Succeeded") || phase.equals("Failed") || isDeletedAtOnce(change)) {
            end(uid);
        }
    }

    private void begin(String uid, JsonNode pod, Instant at) {
        String owner =
                pod.path("metadata").path("ownerReferences").path(0).path("uid").asText();
        JobLife life = jobs.get(owner);
        if (life == null || !life.released) {
            findings.add("pod " + uid + " came of a Job that nobody released");
            return;
        }
        long cpu = 0;
        for (JsonNode container : pod.path("spec").path("containers")) {
            cpu += Quantity.parse(container
                            .path("resources")
                            .path("requests")
                            .path("cpu")
                            .asText())
                    .getNumericalAmount()
                    .movePointRight(3)
                    .longValueExact();
        }
        pods.put(uid, new LivePod(owner, cpu));
        held += cpu;
        heldMost = Math.max(heldMost, held);
        if (held > quota) {
            findings.add("live pods held " + held + "m of " + quota + "m at " + at);
        }
    }

    private void end(String uid) {
        LivePod ended = pods.remove(uid);
        held -= ended == null ? 0 : ended.cpu();
    }

    /** Of a pod that ran, a deletion is a wish first, which its kubelet carries out. */
    private static boolean isDeletedAtOnce(Change change) {
        return change.verb().equals("delete")
                && change.response()
                                .path("metadata")
                                .path("deletionGracePeriodSeconds")
                                .asInt(0)
                        == 0;
    }

    private long livePods(String job) {
        return pods.values().stream().filter(pod -> pod.job().equals(job)).count();
    }

    private void tell(Kind kind, JobLife life, Instant at) {
        effects.add(new FleetEffect(effects.size() + 1, at, kind, life.workload, 0, null));
    }
}
