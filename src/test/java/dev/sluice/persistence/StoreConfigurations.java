package dev.sluice.persistence;

import dev.sluice.admission.CheckStatus;
import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EvictionReason;
import dev.sluice.quota.AdmissionCheck;
import dev.sluice.quota.AdmissionMode;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.DeviceClass;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.LabelRequirement;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.PreemptionPolicy;
import dev.sluice.quota.PreemptionPolicy.BorrowWithinCohort;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.quota.StopPolicy;
import dev.sluice.quota.Taint;
import dev.sluice.quota.Team;
import dev.sluice.quota.Toleration;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One of everything that a store keeps. */
final class StoreConfigurations {
    private StoreConfigurations() {}

    static void putTeam(StoreUnderTest store, String name) {
        store.configuration()
                .edit("admin", stored -> List.of(new ConfigurationChange.PutTeam(new Team(name, name, List.of(name)))));
    }

    static ClusterQueue clusterQueue(String name, @Nullable String cohort, String nominal) {
        ResourceQuota gpus =
                new ResourceQuota(StoreStory.GPU, Quantity.parse(nominal), Quantity.parse("8"), Quantity.parse("4.0"));
        ResourceQuota cpus = new ResourceQuota("cpu", Quantity.parse("1500m"), null, null);
        return new ClusterQueue(
                name,
                cohort,
                "team-a",
                QueueingStrategy.STRICT_FIFO,
                List.of(new ResourceGroup(
                        List.of(StoreStory.GPU, "cpu"), List.of(new FlavorQuotas("h100", List.of(gpus, cpus))))),
                new PreemptionPolicy(
                        WithinClusterQueue.LOWER_PRIORITY, ReclaimWithinCohort.ANY, new BorrowWithinCohort(true, 100)),
                FlavorFungibility.DEFAULT,
                Quantity.parse("0.5"),
                StopPolicy.NONE,
                new NamespaceSelector(
                        new TreeMap<>(Map.of("kubernetes.io/metadata.name", "team-a")),
                        List.of(new LabelRequirement("tier", LabelRequirement.Operator.NOT_IN, List.of("test")))),
                List.of("check"),
                new TreeMap<>(),
                AdmissionMode.USAGE_BASED);
    }

    static List<ConfigurationChange> oneOfEverything() {
        return List.of(
                new ConfigurationChange.PutCohort(new Cohort("root", null, List.of(), Quantity.of(1))),
                new ConfigurationChange.PutCohort(new Cohort(
                        "research", "root", clusterQueue("x", null, "1Ki").resourceGroups(), Quantity.parse("1e0"))),
                new ConfigurationChange.PutClusterQueue(clusterQueue("team-a", "research", "16")),
                new ConfigurationChange.PutLocalQueue(
                        new LocalQueue("team-a", "main", "team-a", StopPolicy.HOLD, Quantity.of(1))),
                new ConfigurationChange.PutResourceFlavor(new ResourceFlavor(
                        "h100",
                        Map.of("gpu", "h100"),
                        List.of(new Taint("gpu", "", "NoSchedule")),
                        List.of(new Toleration("gpu", "Exists", "", "")),
                        "rack")),
                new ConfigurationChange.PutWorkloadPriorityClass(
                        new WorkloadPriorityClass("batch", -5, "äöü \"quoted\"")),
                new ConfigurationChange.PutTeam(new Team("team-a", "Team A", List.of("team-a", "team-a-dev"))),
                new ConfigurationChange.PutDeviceClass(new DeviceClass("h100.gpu.example.com", "nvidia.com/gpu")),
                new ConfigurationChange.PutDeviceClass(new DeviceClass("other", null)),
                new ConfigurationChange.PutAdmissionCheck(new AdmissionCheck(
                        "check", "example.com/budget", new AdmissionCheck.Parameters("example.com", "Budget", "b"))),
                new ConfigurationChange.PutAdmissionCheck(new AdmissionCheck("plain", "example.com/other", null)));
    }

    /** Every kind of event and decision that the log may hold, besides those that need more than a workload. */
    static List<Object> everyEntry(Workload workload) {
        WorkloadId id = workload.id();
        UsableCapacity capacity = new UsableCapacity(
                true,
                List.of(new UsableCapacity.Node(
                        "n1",
                        new TreeMap<>(Map.of("gpu", "h100")),
                        List.of(new Taint("gpu", "", "NoSchedule")),
                        new TreeMap<>(Map.of(StoreStory.GPU, Long.MAX_VALUE)))));
        return List.of(
                new EngineEvent.NamespacesChanged(
                        new TreeMap<>(Map.of("team-a", new TreeMap<>(Map.of("tier", "prod"))))),
                new EngineEvent.CapacityChanged(capacity),
                new EngineEvent.CapacityChanged(UsableCapacity.UNLIMITED),
                new EngineEvent.MaxDurationExceeded(id),
                new EngineEvent.PodsReady(id),
                new EngineEvent.PodsNotReady(id),
                new EngineEvent.PodsReclaimable(id, new TreeMap<>(Map.of("main", 2, "workers", 1))),
                new EngineEvent.CheckChanged(id, "budget", CheckStatus.State.RETRY, "later", Duration.ofSeconds(90)),
                new EngineEvent.CheckChanged(id, "budget", CheckStatus.State.READY, "", null),
                new EngineEvent.CheckChanged(
                        id, "budget", CheckStatus.State.READY, "", null, List.of(StoreStory.podSetUpdate())),
                new EngineEvent.CheckpointReached(id),
                new EngineEvent.CheckpointReached(id, Instant.parse("2026-01-01T00:00:00.5Z")),
                new EngineEvent.StartRejected(id, "a policy says no"),
                new EngineEvent.WorkloadFinished(id, false),
                new EngineEvent.PodsGone(id),
                new EngineEvent.PodSetsChanged(id, List.of(PodSet.of("main", 2, Map.of("cpu", 500L)))),
                new EngineEvent.PodsScaledDown(id, new TreeMap<>(Map.of("main", 1))),
                new EngineEvent.WorkloadRefused(id, "no such image"),
                new EngineEvent.CancelRequested(id),
                new EngineEvent.PriorityChanged(id, null, 0),
                new EngineEvent.PriorityChanged(id, "serving", 1000),
                new EngineEvent.QueueChanged(id, "side"),
                new EngineEvent.ActivationChanged(id, false),
                new Decision.Admit(id, StoreStory.assignment(), 3),
                new Decision.Preempt(
                        id,
                        StoreStory.assignment(),
                        List.of(new Decision.Victim(new WorkloadId("v"), EvictionReason.IN_CLUSTER_QUEUE, null))),
                new Decision.ScheduleStop(id, Instant.parse("2026-01-02T03:04:05.678901Z")),
                new Decision.ScheduleStop(id, null),
                new Decision.Stuck(id, "batch", Instant.parse("2026-01-02T03:04:05.678901Z")),
                new Decision.Reserve(id, StoreStory.assignment(), 4),
                new Decision.Unreserve(id, EvictionReason.ADMISSION_CHECK, WorkloadState.INACTIVE),
                new Decision.ChangeChecks(id),
                new Decision.DropEarmark(id, "its queue changed"),
                new Decision.Evict(id, EvictionReason.CANCELLED),
                new Decision.Become(id, WorkloadState.CANCELLED, null),
                new Decision.Become(id, WorkloadState.FAILED, "why"));
    }
}
