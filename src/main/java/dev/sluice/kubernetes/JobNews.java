package dev.sluice.kubernetes;

import dev.sluice.kubernetes.JobSnapshot.End;
import dev.sluice.kubernetes.WantedJob.Run;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What there is to tell the leader of a Job as it is seen. A pure function; telling it once is its caller's matter. */
final class JobNews {
    private JobNews() {}

    /** @param proof as for {@link JobPlan#of} */
    static List<Observation> of(WantedJob wanted, @Nullable JobSnapshot job, Proof proof) {
        List<Observation> news = new ArrayList<>();
        if (job != null) {
            news.add(new Observation.Created(wanted.id(), job.uid()));
            if (job.fenceOrFirst() > wanted.fence()) {
                news.add(new Observation.FencedOff(wanted.id(), job.fenceOrFirst()));
                return news;
            }
        }
        switch (wanted.run()) {
            case HELD -> held(wanted, job, news);
            case RELEASED -> released(wanted, job, news);
            case STOPPED -> stopped(wanted, job, proof, news);
        }
        return news;
    }

    private static void held(WantedJob wanted, @Nullable JobSnapshot job, List<Observation> news) {
        if (isGone(wanted, job)) {
            news.add(new Observation.Deleted(wanted.id()));
        } else if (job != null && job.status().end() != null) {
            news.add(new Observation.Refused(wanted.id(), "its Job had ended before it was admitted"));
        } else if (job == null && wanted.manifest() == null) {
            news.add(withoutManifest(wanted));
        }
    }

    private static void released(WantedJob wanted, @Nullable JobSnapshot job, List<Observation> news) {
        if (job != null && job.status().end() != null) {
            news.add(finished(wanted, job.status().end()));
        } else if (isGone(wanted, job)) {
            news.add(new Observation.Deleted(wanted.id()));
        } else if (job == null) {
            if (wanted.manifest() == null) {
                news.add(withoutManifest(wanted));
            }
        } else if (job.isReleased() && job.fenceOrFirst() == wanted.fence()) {
            if (job.isReady()) {
                news.add(new Observation.Ready(wanted.id(), wanted.fence()));
            }
            Integer left = job.scaledDownTo(wanted.placement());
            if (left != null) {
                news.add(new Observation.ScaledDown(
                        wanted.id(), wanted.fence(), new TreeMap<>(Map.of(JobLabels.POD_SET, left))));
            }
            if (runsNone(wanted) && job.parallelismAsked() > 0) {
                news.add(new Observation.ScaledUp(
                        wanted.id(), wanted.fence(), new TreeMap<>(Map.of(JobLabels.POD_SET, job.parallelismAsked()))));
            }
            news.add(new Observation.Reclaimable(wanted.id(), wanted.fence(), job.done()));
            if (job.checkpointedAt() != null) {
                news.add(new Observation.Checkpointed(wanted.id(), wanted.fence(), job.checkpointedAt()));
            }
        }
    }

    private static boolean runsNone(WantedJob wanted) {
        PodSetPlacement pods =
                wanted.placement() == null ? null : wanted.placement().first();
        return pods != null && pods.count() == 0;
    }

    private static void stopped(WantedJob wanted, @Nullable JobSnapshot job, Proof proof, List<Observation> news) {
        boolean gone;
        if (job == null) {
            gone = wanted.uid() == null || proof == Proof.QUIET;
        } else if (job.status().end() != null) {
            news.add(finished(wanted, job.status().end()));
            gone = true;
        } else if (job.deleting()) {
            gone = proof == Proof.QUIET;
        } else {
            boolean held = job.suspended() && job.fenceOrFirst() == wanted.fence();
            gone = held && (job.mark() == null || proof == Proof.QUIET);
        }
        if (gone) {
            news.add(new Observation.Gone(wanted.id(), wanted.fence()));
        }
    }

    /** Deletion that was asked for cannot be taken back. */
    private static boolean isGone(WantedJob wanted, @Nullable JobSnapshot job) {
        return job == null ? wanted.uid() != null : job.deleting() && wanted.run() != Run.STOPPED;
    }

    private static Observation finished(WantedJob wanted, End end) {
        return new Observation.Finished(wanted.id(), wanted.fence(), end.succeeded(), end.message());
    }

    private static Observation withoutManifest(WantedJob wanted) {
        return new Observation.Refused(
                wanted.id(),
                "it was submitted without a manifest, and a Kubernetes cluster runs Jobs: submit a batch/v1 Job");
    }
}
