package dev.sluice.kubernetes;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.kubernetes.JobSnapshot.End;
import dev.sluice.kubernetes.JobSnapshot.Status;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A Job as seen: {@code aSeenJob().fence(3).released(3)}; suspended and untouched unless told otherwise. */
final class JobSnapshotBuilder {
    private long version = 1;
    private long generation = 1;
    private @Nullable Long fence = 1L;
    private @Nullable ReleaseMark mark;
    private boolean cancelled;
    private boolean suspended = true;
    private boolean deleting;
    private int parallelism = 1;
    private @Nullable String queue = "main";
    private boolean started;
    private int suspendedAt = -1;
    private int active;
    private int ready;
    private int terminating;
    private boolean ending;
    private @Nullable End end;
    private int digest;

    static JobSnapshotBuilder aSeenJob() {
        return new JobSnapshotBuilder();
    }

    JobSnapshotBuilder version(long number) {
        version = number;
        return this;
    }

    JobSnapshotBuilder generation(long number) {
        generation = number;
        return this;
    }

    JobSnapshotBuilder queue(@Nullable String name) {
        queue = name;
        return this;
    }

    JobSnapshotBuilder withoutFence() {
        fence = null;
        return this;
    }

    JobSnapshotBuilder fence(long number) {
        fence = number;
        return this;
    }

    JobSnapshotBuilder marked(long releasedFence) {
        mark = new ReleaseMark(releasedFence, 0, JsonNodeFactory.instance.objectNode());
        return this;
    }

    /** Released under this fence with fewer pods than its author wanted. */
    JobSnapshotBuilder trimmed(long releasedFence, int wanted) {
        mark = new ReleaseMark(
                releasedFence, 0, JsonNodeFactory.instance.objectNode().put(ReleaseMark.PARALLELISM, wanted));
        return this;
    }

    JobSnapshotBuilder running() {
        suspended = false;
        return this;
    }

    JobSnapshotBuilder cancelled() {
        cancelled = true;
        return this;
    }

    JobSnapshotBuilder deleting() {
        deleting = true;
        return this;
    }

    JobSnapshotBuilder parallelism(int pods) {
        parallelism = pods;
        return this;
    }

    JobSnapshotBuilder started() {
        started = true;
        return this;
    }

    /** The Job controller says that it is suspended and that it has no pods. */
    JobSnapshotBuilder looksStopped() {
        suspendedAt = 0;
        active = 0;
        terminating = 0;
        return this;
    }

    JobSnapshotBuilder pods(int activePods, int readyPods, int terminatingPods) {
        active = activePods;
        ready = readyPods;
        terminating = terminatingPods;
        return this;
    }

    JobSnapshotBuilder ending() {
        ending = true;
        return this;
    }

    JobSnapshotBuilder ended(boolean succeeded) {
        end = new End(succeeded, succeeded ? "" : "BackoffLimitExceeded");
        return this;
    }

    JobSnapshotBuilder status(int statusDigest) {
        digest = statusDigest;
        return this;
    }

    JobSnapshot build() {
        return new JobSnapshot(
                "uid",
                "team",
                "train",
                version,
                generation,
                null,
                queue == null ? new TreeMap<>() : new TreeMap<>(Map.of("sluice.dev/queue-name", queue)),
                queue,
                null,
                true,
                fence == null ? null : fence.toString(),
                mark,
                null,
                cancelled,
                suspended,
                deleting,
                parallelism,
                null,
                false,
                new TreeMap<>(),
                List.of(),
                new TreeMap<>(),
                new TreeMap<>(),
                new Status(started, suspendedAt, active, ready, 0, terminating, null, ending, end, digest));
    }
}
