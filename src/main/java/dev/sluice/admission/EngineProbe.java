package dev.sluice.admission;

import dev.sluice.admission.Nomination.Choice;
import dev.sluice.admission.Nomination.Mode;
import dev.sluice.admission.Nomination.Obstacle;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.QuotaLine;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Looks into an engine in finer steps than an instant: one cycle, one nomination, one victim search. For comparing with
 * recorded behaviour and for tests; whoever runs workloads uses {@link Engine} alone.
 */
public final class EngineProbe {
    private final Engine engine;
    private final Roster roster;
    private final DecisionLog log;

    public EngineProbe(Engine engine) {
        this.engine = engine;
        roster = engine.roster();
        log = engine.log();
    }

    /** What one cycle over all trees did. */
    public record CycleReport(
            List<WorkloadId> admitted, List<Preempted> preempted, SortedMap<String, Integer> skippedPreemptions) {}

    public record Preempted(WorkloadId victim, EvictionReason reason, WorkloadId preemptor) {}

    /**
     * @param active considered in coming cycles
     * @param inadmissible parked until something changes
     */
    public record Waiting(List<WorkloadId> active, List<WorkloadId> inadmissible) {}

    /**
     * @param mode {@code Fit}, {@code Preempt} or {@code NoFit}
     * @param noFitReason Kueue's word; null = it is not a misfit, or has no word
     * @param modes per pod set and resource, {@code Fit} or {@code Preempt}
     */
    public record Nominated(
            String mode,
            int borrowing,
            @Nullable String noFitReason,
            @Nullable Assignment assignment,
            List<SortedMap<String, String>> modes,
            SortedMap<QuotaLine, Long> usage,
            List<Decision.Victim> targets) {}

    /**
     * What deciding cost so far.
     *
     * @param queues that were searched for somebody to wake
     * @param lanes whose first was compared with what its queue could get
     * @param nominations for which flavors, and victims if need be, were looked for
     * @param writes of what is charged at a node, to see what would be or for good
     */
    public record Cost(long queues, long lanes, long nominations, long writes) {
        public Cost plus(Cost other) {
            return new Cost(
                    queues + other.queues, lanes + other.lanes, nominations + other.nominations, writes + other.writes);
        }
    }

    public Cost cost() {
        Looks looks = roster.looks;
        long writes = looks.writesBefore + roster.promised().writes();
        return new Cost(looks.queues, looks.lanes, looks.nominations, writes);
    }

    /** Exactly one cycle over every tree. */
    public CycleReport cycle(Instant at) {
        roster.advanceTo(at);
        roster.instant++;
        List<WorkloadId> admitted = new ArrayList<>();
        List<Preempted> preempted = new ArrayList<>();
        SortedMap<String, Integer> skipped = new TreeMap<>();
        for (TreeState tree : roster.trees()) {
            tree.startInstant();
            Cycle.Outcome outcome = new Cycle(roster, tree, log).run();
            outcome.admitted.forEach(one -> admitted.add(one.id()));
            outcome.preemptions.forEach(one -> preempted.add(new Preempted(
                    one.victim().id(), one.reason(), one.preemptor().id())));
            skipped.putAll(outcome.skippedPreemptions);
        }
        log.drain();
        return new CycleReport(admitted, preempted, skipped);
    }

    /** Whether any queue that may admit has somebody to consider. */
    public boolean hasActive() {
        return roster.queues().stream().anyMatch(queue -> queue.compiled.mayAdmit() && queue.head() != null);
    }

    /** Looks again at everybody parked in the tree of a queue. */
    public void wake(String clusterQueue) {
        CompiledQueue queue = roster.world().queue(clusterQueue);
        if (queue != null) {
            roster.treeOf(queue.node()).wake();
        }
    }

    public Waiting waiting(String clusterQueue) {
        List<WorkloadId> active = new ArrayList<>();
        List<WorkloadId> inadmissible = new ArrayList<>();
        CompiledQueue compiled = roster.world().queue(clusterQueue);
        if (compiled != null) {
            for (TrackedWorkload one : roster.queue(compiled.node()).waiting) {
                boolean considered = one.lane != null && !one.lane.parked;
                (considered ? active : inadmissible).add(one.id());
            }
        }
        return new Waiting(active, inadmissible);
    }

    /** @param counts pods per pod set; empty = as the workload says */
    public Nominated nominate(WorkloadId id, List<Integer> counts) {
        TrackedWorkload one = find(id);
        QueueState queue = one.queueOrThrow();
        int[] pods = counts.isEmpty()
                ? one.podSets().stream().mapToInt(podSet -> podSet.count()).toArray()
                : counts.stream().mapToInt(Integer::intValue).toArray();
        PreparedRequest request =
                new PreparedRequest(queue.compiled, roster.world().feasibility(), one.podSets(), pods);
        Nomination nomination =
                new FlavorFit(roster.promised(), victimSearch(), roster.settings).nominate(one, request, null, null);
        return describe(nomination, described(queue, nominator().victims(one, nomination)));
    }

    private Nominated describe(Nomination nomination, List<Decision.Victim> targets) {
        SortedMap<QuotaLine, Long> usage = new TreeMap<>();
        Charge charge = nomination.charge();
        for (int index = 0; index < charge.lines().length; index++) {
            usage.put(roster.world().tree().line(charge.lines()[index]), charge.amounts()[index]);
        }
        boolean fits = nomination.mode() != Mode.NO_FIT;
        return new Nominated(
                word(nomination.mode()),
                nomination.borrowing(),
                fits ? null : word(WaitReasons.obstacle(nomination)),
                fits ? nomination.assignment(false) : null,
                fits ? modes(nomination) : List.of(),
                usage,
                targets);
    }

    private static List<SortedMap<String, String>> modes(Nomination nomination) {
        List<SortedMap<String, String>> modes = new ArrayList<>();
        nomination.request().podSets.forEach(podSet -> modes.add(new TreeMap<>()));
        for (int part = 0; part < nomination.choices().size(); part++) {
            Choice choice = nomination.choices().get(part);
            PreparedRequest.Part asked = nomination.request().parts.get(part);
            for (int podSet : asked.podSets) {
                for (int resource = 0; resource < asked.resources.length; resource++) {
                    if (choice.flavors()[resource] >= 0) {
                        modes.get(podSet).put(asked.resources[resource], word(choice.modes()[resource]));
                    }
                }
            }
        }
        return modes;
    }

    private static String word(Mode mode) {
        return switch (mode) {
            case FIT -> "Fit";
            case PREEMPT -> "Preempt";
            case NO_FIT -> "NoFit";
        };
    }

    private static @Nullable String word(@Nullable Obstacle obstacle) {
        return switch (obstacle) {
            case NO_MATCHING_FLAVOR -> "NoMatchingFlavor";
            case EXCEEDS_MAXIMUM -> "ExceedsMaxQuota";
            case QUOTA_EXHAUSTED -> "WaitingForQuota";
            case NOT_PLACEABLE -> "TopologyPlacementFailed";
            case null -> null;
        };
    }

    /**
     * Whom a workload would preempt on given flavors.
     *
     * @param needed amount per line, all pods together
     * @param contested lines on which quota is missing
     */
    public List<Decision.Victim> victims(WorkloadId id, Map<QuotaLine, Long> needed, List<QuotaLine> contested) {
        TrackedWorkload one = find(id);
        QueueState queue = one.queueOrThrow();
        SortedMap<Integer, Long> byLine = new TreeMap<>();
        needed.forEach((line, amount) -> byLine.merge(number(line), amount, Amounts::add));
        int[] lines =
                contested.stream().mapToInt(this::number).sorted().distinct().toArray();
        return described(queue, nominator().victims(one, queue.compiled, lines, Charge.of(queue.node(), byLine)));
    }

    private List<Decision.Victim> described(QueueState queue, List<VictimSearch.Candidate> victims) {
        return victims.stream()
                .map(victim -> victim.of(queue.node(), roster.promised().tree()))
                .toList();
    }

    private Nominator nominator() {
        return new Nominator(roster.promised(), victimSearch(), roster.settings);
    }

    private int number(QuotaLine line) {
        return roster.world().tree().line(line.flavor(), line.resource());
    }

    private VictimSearch victimSearch() {
        Protection protection = new Protection(candidate -> false, roster.settings.victimChoice(), roster.now());
        return VictimSearch.of(roster.promised(), roster::queue, roster.settings, protection);
    }

    private TrackedWorkload find(WorkloadId id) {
        TrackedWorkload one = roster.find(id);
        if (one == null) {
            throw new IllegalArgumentException("no workload " + id);
        }
        return one;
    }

    /** What is used at every node of the tree and line that is not zero, as promised; cohorts as {@code cohort:name}. */
    public SortedMap<String, SortedMap<QuotaLine, Long>> usage() {
        SortedMap<String, SortedMap<QuotaLine, Long>> usage = new TreeMap<>();
        var tree = roster.world().tree();
        for (int node = 0; node < tree.nodeCount(); node++) {
            SortedMap<QuotaLine, Long> lines = new TreeMap<>();
            for (int line = 0; line < tree.lineCount(); line++) {
                long used = roster.promised().used(node, line);
                if (used != 0) {
                    lines.put(tree.line(line), used);
                }
            }
            usage.put(tree.isQueue(node) ? tree.name(node) : "cohort:" + tree.name(node), lines);
        }
        return usage;
    }

    public Engine engine() {
        return engine;
    }
}
