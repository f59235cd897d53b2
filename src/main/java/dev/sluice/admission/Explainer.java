package dev.sluice.admission;

import dev.sluice.admission.Explanation.Verdict;
import dev.sluice.admission.Nomination.Mode;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says what would become of a workload now, by nominating it as a cycle would. Everything is tried on a ledger that is
 * rewound, so nothing is disturbed.
 */
final class Explainer {
    private static final int AHEAD_MOST = 10;

    private final Roster roster;
    private final Protection protection;
    private final VictimSearch victimSearch;
    private final Nominator nominator;

    Explainer(Roster roster) {
        this.roster = roster;
        protection = new Protection(candidate -> false, roster.settings.victimChoice(), roster.now());
        victimSearch = VictimSearch.of(roster.promised(), roster::queue, roster.settings, protection);
        nominator = new Nominator(roster.promised(), victimSearch, roster.settings);
    }

    Explanation explain(TrackedWorkload one) {
        QueueState queue = one.queue;
        WaitReason reason = new ReasonLookup(roster).reason(one);
        if (reason == null || queue == null || one.isEarmarked() || !one.state.waits()) {
            return new Explanation(
                    reason == null ? Verdict.ADMIT : Verdict.WAIT,
                    reason,
                    one.assignment,
                    List.of(),
                    List.of(),
                    queue == null ? 0 : queue.position(one),
                    queue == null ? List.of() : ahead(queue, one),
                    List.of());
        }
        return explain(one, queue, blocking(reason));
    }

    /** What holds a workload back whatever quota says; null = quota alone decides. */
    private static @Nullable WaitReason blocking(WaitReason reason) {
        return switch (reason) {
            case WaitReason.QuotaExhausted quota -> null;
            case WaitReason.ExceedsMaximum maximum -> null;
            case WaitReason.NoMatchingFlavor flavor -> null;
            case WaitReason.ResourceNotCovered resource -> null;
            case WaitReason.NotPlaceable placement -> null;
            case WaitReason.NotYetConsidered later -> null;
            case WaitReason.AwaitingVictims victims -> null;
            case WaitReason.BlockedByEarlier earlier -> earlier;
            case WaitReason.QueueStopped stopped -> stopped;
            case WaitReason.QueueInactive inactive -> inactive;
            case WaitReason.NamespaceNotAllowed namespace -> namespace;
            case WaitReason.BackingOff backOff -> backOff;
            case WaitReason.Deactivated deactivated -> deactivated;
            case WaitReason.AwaitingChecks checks -> checks;
        };
    }

    /** The workload is looked at as the newest of its priority. */
    Explanation explainHypothetical(Workload workload, Instant at) {
        Workload last = new Workload(
                workload.id(),
                Long.MAX_VALUE,
                workload.name(),
                workload.namespace(),
                workload.localQueue(),
                workload.priorityClass(),
                workload.priority(),
                workload.podSets(),
                workload.createdAt(),
                workload.expectedDuration(),
                workload.maxDuration());
        TrackedWorkload one = new TrackedWorkload(last, at);
        CompiledQueue compiled = roster.world().resolve(workload.namespace(), workload.localQueue());
        if (compiled == null) {
            WaitReason nowhere = new ReasonLookup(roster).reason(one);
            return new Explanation(Verdict.WAIT, nowhere, null, List.of(), List.of(), 0, List.of(), List.of());
        }
        QueueState queue = roster.queue(compiled.node());
        one.queue = queue;
        one.held = roster.keptFromCompeting(one, queue);
        WaitReason first = new ReasonLookup(roster).reason(one);
        return explain(one, queue, first == null ? null : blocking(first));
    }

    private Explanation explain(TrackedWorkload one, QueueState queue, @Nullable WaitReason blocking) {
        Trial trial = trial(one, queue, one.podSets());
        Verdict verdict = trial.verdict;
        WaitReason reason = trial.reason;
        if (verdict != Verdict.NEVER && blocking != null) {
            verdict = Verdict.WAIT;
            reason = blocking;
        }
        boolean starts = verdict == Verdict.ADMIT || verdict == Verdict.ADMIT_BY_PREEMPTING;
        List<Explanation.Change> changes = starts ? List.of() : new Changes(roster, this, one, queue).find();
        return new Explanation(
                verdict,
                reason,
                starts ? trial.nomination.assignment(trial.nomination.charge().wouldBorrow(roster.promised())) : null,
                starts ? trial.victims : List.of(),
                new Requirements(roster, victimSearch, protection).of(one, queue, trial.nomination.request()),
                queue.position(one),
                ahead(queue, one),
                changes);
    }

    /** What a nomination came to. */
    static final class Trial {
        final Nomination nomination;
        final Verdict verdict;
        final @Nullable WaitReason reason;
        final List<Decision.Victim> victims;

        Trial(Nomination nomination, Verdict verdict, @Nullable WaitReason reason, List<Decision.Victim> victims) {
            this.nomination = nomination;
            this.verdict = verdict;
            this.reason = reason;
            this.victims = victims;
        }
    }

    Trial trial(TrackedWorkload one, QueueState queue, List<PodSet> podSets) {
        PreparedRequest request =
                new PreparedRequest(queue.compiled, roster.world().feasibility(), podSets);
        Nominator.Nominated nominated = nominator.nominate(one, request, null, null);
        Nomination nomination = nominated.nomination();
        if (nomination.mode() == Mode.FIT) {
            return nomination.charge().fits(roster.held())
                    ? new Trial(nomination, Verdict.ADMIT, null, List.of())
                    : new Trial(nomination, Verdict.WAIT, awaiting(nomination, queue), List.of());
        }
        if (nominated.starts()) {
            List<Decision.Victim> victims = new ArrayList<>();
            nominated
                    .victims()
                    .forEach(victim -> victims.add(
                            victim.of(queue.node(), roster.promised().tree())));
            return new Trial(nomination, Verdict.ADMIT_BY_PREEMPTING, null, victims);
        }
        WaitReason reason = WaitReasons.of(nominated.decisive());
        return new Trial(nomination, reason.isNever() ? Verdict.NEVER : Verdict.WAIT, reason, List.of());
    }

    private WaitReason awaiting(Nomination nomination, QueueState queue) {
        Leaving leaving = roster.treeOf(queue.node()).leaving;
        return new ReasonLookup(roster)
                .awaitingVictims(leaving.awaitedBy(nomination.charge(), List.of(), roster.held()));
    }

    private static List<WorkloadId> ahead(QueueState queue, TrackedWorkload one) {
        List<WorkloadId> ahead = new ArrayList<>();
        if (one.state.waits()) {
            collectBefore(queue, one.isEarmarked() ? one : null, queue.earmarked, ahead);
            if (!one.isEarmarked()) {
                collectBefore(queue, one, queue.inOrder(), ahead);
            }
        }
        return ahead;
    }

    /** @param end where to stop; null = at the end */
    private static void collectBefore(
            QueueState queue, @Nullable TrackedWorkload end, Iterable<TrackedWorkload> part, List<WorkloadId> ahead) {
        for (TrackedWorkload earlier : part) {
            if (ahead.size() == AHEAD_MOST || (end != null && !queue.comesBefore(earlier, end))) {
                return;
            }
            ahead.add(earlier.id());
        }
    }
}
