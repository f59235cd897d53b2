package dev.sluice.scheduling;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What follows from a committed batch on the cluster. Carried out in order, never before the commit. */
sealed interface Effect {
    void on(Cluster cluster);

    record Expect(List<Cluster.Expected> all) implements Effect {
        public Expect {
            all = List.copyOf(all);
        }

        @Override
        public void on(Cluster cluster) {
            cluster.expect(all);
        }
    }

    record Create(Workload workload, @Nullable String manifest, long fence) implements Effect {
        @Override
        public void on(Cluster cluster) {
            cluster.create(workload, manifest, fence);
        }
    }

    record Release(Workload workload, Assignment assignment, Placement placement, long fence) implements Effect {
        @Override
        public void on(Cluster cluster) {
            cluster.release(workload, assignment, placement, fence);
        }
    }

    record Stop(WorkloadId workload, long fence) implements Effect {
        @Override
        public void on(Cluster cluster) {
            cluster.stop(workload, fence);
        }
    }

    record Retire(WorkloadId workload) implements Effect {
        @Override
        public void on(Cluster cluster) {
            cluster.retire(workload);
        }
    }

    /** The only one that changes nothing. */
    record LookAtStart(WorkloadId workload, long fence) implements Effect {
        @Override
        public void on(Cluster cluster) {
            cluster.lookAtStart(workload, fence);
        }
    }

    record AdvanceFence(WorkloadId workload, long fence) implements Effect {
        @Override
        public void on(Cluster cluster) {
            cluster.advanceFence(workload, fence);
        }
    }
}
