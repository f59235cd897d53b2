package dev.sluice.kubernetes;

import java.util.List;

/** Names of what Sluice reads and writes on a Job. */
public final class JobLabels {
    /** Either makes a Job one of Sluice's; the first wins. */
    public static final List<String> QUEUES = List.of("sluice.dev/queue-name", "kueue.x-k8s.io/queue-name");

    static final List<String> PRIORITY_CLASSES = List.of("sluice.dev/priority-class", "kueue.x-k8s.io/priority-class");

    /** On Jobs that Sluice created: which workload it was created for. */
    public static final String WORKLOAD = "sluice.dev/workload-id";

    /** The number that a release must name; only ever grows. Absent = 1. */
    public static final String FENCE = "sluice.dev/fence";

    /**
     * What a release left behind to be undone ({@link ReleaseMark}). A suspended Job without it has no pods of an earlier release: the
     * mark is only taken away once they were seen to be gone.
     */
    public static final String RELEASED = "sluice.dev/released";

    /**
     * On a Job whose workload was cancelled: the Job's own uid, so that a copy of it is not meant. It is never taken in again, also
     * when nobody remembers its workload any more.
     */
    public static final String CANCELLED = "sluice.dev/cancelled";

    /** Set by a Job's own program or its author: up to when its work is saved, in RFC 3339. */
    static final String CHECKPOINTED = "sluice.dev/checkpointed-at";

    public static final List<String> ANNOTATIONS = List.of(WORKLOAD, FENCE, RELEASED, CANCELLED);

    /** The condition of a Job that holds quota, or held some; as said last. */
    static final String ADMITTED = "sluice.dev/Admitted";

    /** With how few pods it may start; Kueue's. */
    static final String MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism";

    /** What the only pod set of a Job is called when its manifest is read. */
    public static final String POD_SET = "main";

    /** On the pods of a Job, set by Kubernetes. */
    public static final String CONTROLLER_UID = "batch.kubernetes.io/controller-uid";

    /** A finalizer on the pods of a Job that the Job controller has not counted yet, set by Kubernetes. */
    static final String TRACKED = "batch.kubernetes.io/job-tracking";

    private JobLabels() {}
}
