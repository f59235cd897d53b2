package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EngineProbe;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tells an engine the steps of a story; what a run means is the teller's affair. */
final class StorySteps {
    private final VectorWorld world;
    private final EngineProbe probe;
    private final List<WorkloadId> known = new ArrayList<>();
    private Configuration configuration;
    private Instant now;

    StorySteps(VectorWorld world, EngineProbe probe) {
        this.world = world;
        this.probe = probe;
        configuration = world.configuration();
        now = world.start();
        world.all().forEach(node -> known.add(new WorkloadId(node.path("id").asText())));
    }

    Instant now() {
        return now;
    }

    void nextSecond() {
        now = now.plusSeconds(1);
    }

    /** In the order in which they came, the ended ones too. */
    List<WorkloadId> known() {
        return known;
    }

    /** All steps; a run is added if the last is none. */
    void tell(Runnable run) {
        boolean ran = false;
        for (JsonNode step : world.input().path("steps")) {
            ran = step.path("do").asText().equals("run");
            if (ran) {
                run.run();
            } else {
                apply(step);
            }
        }
        if (!ran) {
            run.run();
        }
    }

    private void apply(JsonNode step) {
        switch (step.path("do").asText()) {
            case "submit" -> {
                JsonNode workload = step.path("workload");
                known.add(new WorkloadId(workload.path("id").asText()));
                world.workloads()
                        .events(workload)
                        .forEach(event -> probe.engine().apply(event, now));
            }
            case "finish" -> finish(new WorkloadId(step.path("id").asText()));
            case "updateQuota" -> updateQuota(step);
            default -> throw new IllegalArgumentException("unknown step " + step);
        }
    }

    private void finish(WorkloadId id) {
        Optional<WorkloadStatus> status = probe.engine().status(id);
        boolean waits = status.map(WorkloadStatus::state)
                .filter(WorkloadState.PENDING::equals)
                .isPresent();
        probe.engine()
                .apply(waits ? new EngineEvent.CancelRequested(id) : new EngineEvent.WorkloadFinished(id, true), now);
        status.map(WorkloadStatus::clusterQueue).ifPresent(probe::wake);
    }

    private void updateQuota(JsonNode step) {
        configuration = withQuota(configuration, step);
        probe.engine().apply(new EngineEvent.ConfigurationReplaced(configuration), now);
    }

    /** The configuration with the quotas of a step's queue or cohort replaced. */
    static Configuration withQuota(Configuration configuration, JsonNode step) {
        List<ResourceGroup> groups = VectorConfiguration.resourceGroups(step.path("resourceGroups"));
        SortedMap<String, ClusterQueue> queues = new TreeMap<>(configuration.clusterQueues());
        SortedMap<String, Cohort> cohorts = new TreeMap<>(configuration.cohorts());
        if (step.has("clusterQueue")) {
            queues.computeIfPresent(step.path("clusterQueue").asText(), (name, old) -> old.with(groups));
        } else {
            String name = step.path("cohort").asText();
            Cohort old = cohorts.get(name);
            cohorts.put(
                    name,
                    new Cohort(
                            name,
                            old == null ? null : old.parent(),
                            groups,
                            old == null ? Quantity.of(1) : old.weight()));
        }
        return configuration.with(cohorts, queues).withVersion(configuration.version() + 1);
    }
}
