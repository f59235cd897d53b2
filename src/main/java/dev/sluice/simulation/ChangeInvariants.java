package dev.sluice.simulation;

import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.Explanation;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Toleration;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an explanation says would make a workload start does make it start, on a fork of the whole engine. */
final class ChangeInvariants {
    private static final Pattern COUNT = Pattern.compile("podSets\\.(\\w+)\\.count = (\\d+)");
    private static final Pattern PRIORITY = Pattern.compile("priorityClass = (\\w+)");
    private static final Pattern FLAVOR = Pattern.compile("flavor = (\\w+)");
    private static final Pattern QUEUE = Pattern.compile("queue = (\\w+)");

    private final Engine engine;
    private final Standing standing;
    private final Instant now;

    ChangeInvariants(Engine engine, Standing standing, Instant now) {
        this.engine = engine;
        this.standing = standing;
        this.now = now;
    }

    /** Returns how many changes were tried. */
    int check(WorkloadId id) {
        Explanation explanation = engine.explain(id, now).orElseThrow();
        int tried = 0;
        for (Explanation.Change change : explanation.wouldRunIf()) {
            Engine fork = engine.fork();
            if (!apply(fork, id, change.change())) {
                continue;
            }
            tried++;
            fork.decide(now);
            WorkloadStatus status = fork.status(id).orElseThrow();
            if (status.state() != WorkloadState.ADMITTED && status.assignment() == null) {
                throw new BrokenInvariant(id + " would not start with " + change + ": "
                        + fork.reason(id).map(Object::toString).orElse("no reason"));
            }
        }
        return tried;
    }

    private boolean apply(Engine fork, WorkloadId id, String change) {
        Matcher count = COUNT.matcher(change);
        Matcher priority = PRIORITY.matcher(change);
        if (priority.matches()) {
            var chosen = standing.tree().configuration().priorityClasses().get(priority.group(1));
            if (chosen == null) {
                throw new BrokenInvariant(change + " names a class that does not exist");
            }
            fork.apply(new EngineEvent.PriorityChanged(id, chosen.name(), chosen.value()), now);
            return true;
        }
        boolean somePodsAreDone =
                !standing.known(id).particulars().reclaimablePods().isEmpty();
        if (somePodsAreDone) {
            return false;
        }
        Matcher flavor = FLAVOR.matcher(change);
        Matcher queue = QUEUE.matcher(change);
        String localQueue = standing.known(id).localQueue();
        List<PodSet> podSets = standing.workload(id).podSets();
        if (count.matches()) {
            int pods = Integer.parseInt(count.group(2));
            podSets = podSets.stream()
                    .map(each -> each.name().equals(count.group(1))
                            ? each.withCount(pods).allOrNothing()
                            : each)
                    .toList();
        } else if (flavor.matches()) {
            podSets =
                    podSets.stream().map(each -> asking(flavor.group(1), each)).toList();
        } else if (queue.matches()) {
            localQueue = queue.group(1);
        } else {
            throw new BrokenInvariant(change + " is no change that anybody could make");
        }
        fork.apply(new EngineEvent.CancelRequested(id), now);
        fork.apply(
                new EngineEvent.WorkloadQueued(
                        other(id, localQueue, podSets), standing.known(id).queuedAt()),
                now);
        return true;
    }

    /** For nodes of a flavor, whatever it asked for before. */
    private PodSet asking(String name, PodSet podSet) {
        ResourceFlavor flavor =
                standing.tree().configuration().resourceFlavors().get(name);
        if (flavor == null) {
            throw new BrokenInvariant(name + " is no flavor");
        }
        SortedMap<String, String> selector = new TreeMap<>(podSet.nodeSelector());
        selector.putAll(flavor.nodeLabels());
        return podSet.on(selector, List.of(), List.of(new Toleration("", "Exists", "", "")));
    }

    private Workload other(WorkloadId id, String localQueue, List<PodSet> podSets) {
        Workload old = standing.workload(id);
        WorkloadStatus status = standing.known(id);
        return new Workload(
                id,
                old.sequence(),
                old.name(),
                old.namespace(),
                localQueue,
                status.priorityClass(),
                status.priority(),
                podSets,
                old.createdAt(),
                null,
                null);
    }
}
