package dev.sluice.admission;

import dev.sluice.admission.Nomination.Choice;
import dev.sluice.admission.Nomination.Finding;
import dev.sluice.admission.Nomination.Mode;
import dev.sluice.admission.Nomination.Obstacle;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorFungibility.Preference;
import dev.sluice.quota.FlavorFungibility.Search;
import dev.sluice.quota.Ledger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which flavors a request gets (Kueue's flavor assignment). Pod sets in order, each part scanning the flavors of every
 * resource group it needs; what earlier parts took counts as used for later ones. The first flavor that satisfies the
 * queue's fungibility ends the scan, else the best one seen is taken.
 *
 * <p>A part takes the first flavor that fits even if a later part then finds none. Searching all combinations would find
 * more, but nobody could predict it, and Kueue does not.
 */
final class FlavorFit {
    private final Ledger ledger;
    private final VictimSearch victimSearch;
    private final boolean fairSharing;
    private final boolean resourcesByHash;
    private @Nullable Asked lastAsked;

    /** @param alone one line, for which these would have to go */
    private record Asked(Charge alone, List<VictimSearch.Candidate> victims) {}

    FlavorFit(Ledger ledger, VictimSearch victimSearch, AdmissionSettings settings) {
        this.ledger = ledger;
        this.victimSearch = victimSearch;
        fairSharing = settings.fairSharing().isOn();
        resourcesByHash = settings.resourcesByHash();
    }

    /** How a flavor could serve, worst first. */
    private enum Service {
        NO_FIT(Mode.NO_FIT),
        NO_CANDIDATES(Mode.PREEMPT),
        PREEMPT(Mode.PREEMPT),
        RECLAIM(Mode.PREEMPT),
        FIT(Mode.FIT);

        private final Mode mode;

        Service(Mode mode) {
            this.mode = mode;
        }
    }

    private static int[] sortedOnce(int[] lines) {
        return lines.length < 2
                ? lines
                : Arrays.stream(lines).sorted().distinct().toArray();
    }

    private record Grade(Service service, int borrowing) {
        static final Grade BEST = new Grade(Service.FIT, 0);
        static final Grade WORST = new Grade(Service.NO_FIT, Integer.MAX_VALUE);

        boolean isPreferredTo(Grade other, Preference preference) {
            if (service == Service.NO_FIT || other.service == Service.NO_FIT) {
                return service != Service.NO_FIT;
            }
            if ((service == Service.NO_CANDIDATES) != (other.service == Service.NO_CANDIDATES)) {
                return other.service == Service.NO_CANDIDATES;
            }
            boolean byService = preference == Preference.BORROWING_OVER_PREEMPTION;
            if (byService ? service != other.service : borrowing == other.borrowing) {
                return service.compareTo(other.service) > 0;
            }
            return borrowing < other.borrowing;
        }

        boolean endsScan(FlavorFungibility fungibility) {
            return switch (service) {
                case NO_FIT, NO_CANDIDATES -> false;
                case PREEMPT, RECLAIM ->
                    fungibility.whenCanPreempt() == Search.MAY_STOP_SEARCH && borrowingEndsScan(fungibility);
                case FIT -> borrowingEndsScan(fungibility);
            };
        }

        private boolean borrowingEndsScan(FlavorFungibility fungibility) {
            return borrowing == 0 || fungibility.whenCanBorrow() == Search.MAY_STOP_SEARCH;
        }
    }

    /** One request being fitted. */
    private final class Scan {
        final TrackedWorkload workload;
        final PreparedRequest request;
        final FlavorFungibility fungibility;
        final @Nullable ScanMemory memory;
        final @Nullable List<Choice> pinned;
        final List<Finding> findings = new ArrayList<>();
        final SortedMap<Integer, Long> taken = new TreeMap<>();
        final List<Choice> choices = new ArrayList<>();
        int borrowing;
        Mode worst = Mode.FIT;
        int[] contested = {};

        Scan(
                TrackedWorkload workload,
                PreparedRequest request,
                @Nullable ScanMemory memory,
                @Nullable List<Choice> pinned) {
            this.workload = workload;
            this.request = request;
            this.memory = memory;
            this.pinned = pinned;
            fungibility = request.queue.config() == null
                    ? FlavorFungibility.DEFAULT
                    : request.queue.config().flavorFungibility();
        }

        /** Returns whether every resource of the part found a flavor. */
        boolean scanPart(int part, int[] stoppedAt) {
            PreparedRequest.Part asked = request.parts.get(part);
            int[] flavors = new int[asked.resources.length];
            Arrays.fill(flavors, -1);
            Mode[] modes = new Mode[asked.resources.length];
            Arrays.fill(modes, Mode.FIT);
            for (int resource : asked.inTurn(resourcesByHash)) {
                if (asked.groups[resource] < 0) {
                    if (asked.totals[resource] != 0) {
                        findings.add(new Finding(
                                part,
                                -1,
                                "",
                                asked.resources[resource],
                                Obstacle.NO_MATCHING_FLAVOR,
                                true,
                                asked.totals[resource],
                                0,
                                null));
                        return false;
                    }
                } else if (flavors[resource] < 0 && !scanGroup(part, resource, flavors, modes, stoppedAt)) {
                    return false;
                }
            }
            take(asked, flavors, modes);
            choices.add(new Choice(flavors, modes));
            return true;
        }

        private void take(PreparedRequest.Part asked, int[] flavors, Mode[] modes) {
            for (int resource = 0; resource < flavors.length; resource++) {
                if (flavors[resource] >= 0) {
                    int line = lineOf(asked, resource, flavors[resource]);
                    taken.merge(line, asked.totals[resource], Amounts::add);
                    if (modes[resource] == Mode.PREEMPT) {
                        contested = Arrays.copyOf(contested, contested.length + 1);
                        contested[contested.length - 1] = line;
                        worst = Mode.PREEMPT;
                    }
                }
            }
        }

        private int lineOf(PreparedRequest.Part asked, int resource, int flavor) {
            return request.queue.groups().get(asked.groups[resource]).lines()[flavor][asked.slots[resource]];
        }

        private boolean scanGroup(int part, int first, int[] flavors, Mode[] modes, int[] stoppedAt) {
            PreparedRequest.Part asked = request.parts.get(part);
            int group = asked.groups[first];
            int flavorCount = request.queue.groups().get(group).flavors().size();
            Grade best = Grade.WORST;
            int bestFlavor = -1;
            Mode[] bestModes = modes;
            int bestBorrowing = 0;
            int attempted = -1;
            for (int flavor = memory == null ? 0 : memory.next(part, first); flavor < flavorCount; flavor++) {
                attempted = flavor;
                if (pinned != null && pinned.get(part).flavors()[first] != flavor) {
                    continue;
                }
                if (isOut(part, asked, group, flavor, first)) {
                    continue;
                }
                Mode[] flavorModes = modes.clone();
                int[] reach = {0};
                Grade grade = gradeOf(part, asked, group, flavor, flavorModes, reach);
                boolean ends = grade.endsScan(fungibility);
                if (ends || grade.isPreferredTo(best, fungibility.preference())) {
                    best = grade;
                    bestFlavor = flavor;
                    bestModes = flavorModes;
                    bestBorrowing = reach[0];
                }
                if (ends) {
                    break;
                }
            }
            if (bestFlavor < 0) {
                return false;
            }
            for (int resource = 0; resource < flavors.length; resource++) {
                if (asked.groups[resource] == group) {
                    flavors[resource] = bestFlavor;
                    modes[resource] = bestModes[resource];
                    stoppedAt[resource] = attempted == flavorCount - 1 ? -1 : attempted;
                }
            }
            borrowing = Math.max(borrowing, bestBorrowing);
            return true;
        }

        /** Whether the pods do not go with the flavor, or its nodes could never hold them. */
        private boolean isOut(int part, PreparedRequest.Part asked, int group, int flavor, int resource) {
            String name = request.queue.groups().get(group).flavors().get(flavor);
            String mismatch = asked.mismatch(group, flavor);
            if (mismatch != null) {
                findings.add(new Finding(
                        part,
                        group,
                        name,
                        asked.resources[resource],
                        Obstacle.NO_MATCHING_FLAVOR,
                        true,
                        asked.totals[resource],
                        0,
                        mismatch));
                return true;
            }
            PreparedRequest.Unplaceable alone = asked.unplaceable(group, flavor);
            PreparedRequest.Unplaceable unplaceable = alone == null ? crowdedOut(asked, group, flavor) : alone;
            if (unplaceable != null) {
                findings.add(new Finding(
                        part,
                        group,
                        name,
                        unplaceable.resource(),
                        Obstacle.NOT_PLACEABLE,
                        true,
                        unplaceable.requested(),
                        unplaceable.usable(),
                        null));
                return true;
            }
            return false;
        }

        /** What of a flavor's nodes is too little for the pods together with earlier parts; null = they fit, as far as is known. */
        private PreparedRequest.@Nullable Unplaceable crowdedOut(PreparedRequest.Part asked, int group, int flavor) {
            for (int resource = 0; resource < asked.resources.length && !taken.isEmpty(); resource++) {
                long before =
                        asked.groups[resource] == group ? taken.getOrDefault(lineOf(asked, resource, flavor), 0L) : 0;
                long together = Amounts.add(before, asked.totals[resource]);
                if (before > 0 && together > asked.usableTogether(group, flavor, resource)) {
                    return new PreparedRequest.Unplaceable(
                            asked.resources[resource], together, asked.usableTogether(group, flavor, resource));
                }
            }
            return null;
        }

        /** The worst of the group's resources on this flavor, worse in the queue's own preference. */
        private Grade gradeOf(int part, PreparedRequest.Part asked, int group, int flavor, Mode[] modes, int[] reach) {
            Grade worstGrade = Grade.BEST;
            for (int resource : asked.inTurn(resourcesByHash)) {
                if (asked.groups[resource] != group) {
                    continue;
                }
                Grade grade = grade(part, asked, resource, flavor);
                if (worstGrade.isPreferredTo(grade, fungibility.preference())) {
                    worstGrade = grade;
                }
                modes[resource] = grade.service().mode;
                reach[0] = Math.max(reach[0], grade.borrowing());
            }
            return worstGrade;
        }

        private Grade grade(int part, PreparedRequest.Part asked, int resource, int flavor) {
            int line = lineOf(asked, resource, flavor);
            int queue = request.queue.node();
            long wanted = Amounts.add(taken.getOrDefault(line, 0L), asked.totals[resource]);
            long potential = ledger.tree().potential(queue, line);
            if (wanted > potential) {
                note(part, asked, resource, flavor, Obstacle.EXCEEDS_MAXIMUM, true, wanted, potential);
                return new Grade(Service.NO_FIT, 0);
            }
            Ledger.Fitting fitting = ledger.lowestFitting(queue, line, wanted);
            long available = ledger.availableToQueue(queue, line);
            if (wanted <= available) {
                return new Grade(Service.FIT, fitting.height());
            }
            boolean mayPreempt = ledger.tree().nominal(queue, line) >= wanted
                    || fitting.smallerThanTree()
                    || request.queue.preemption().borrowWithinCohort().allowed()
                    || (fairSharing && request.queue.reclaims());
            note(part, asked, resource, flavor, Obstacle.QUOTA_EXHAUSTED, !mayPreempt, wanted, available);
            return mayPreempt ? askVictimSearch(line, wanted) : new Grade(Service.NO_FIT, fitting.height());
        }

        private void note(
                int part,
                PreparedRequest.Part asked,
                int resource,
                int flavor,
                Obstacle obstacle,
                boolean ends,
                long wanted,
                long limit) {
            int group = asked.groups[resource];
            String name = request.queue.groups().get(group).flavors().get(flavor);
            findings.add(
                    new Finding(part, group, name, asked.resources[resource], obstacle, ends, wanted, limit, null));
        }

        /** Whether this one line could be had by preempting, and how far it would be borrowed afterwards. */
        private Grade askVictimSearch(int line, long wanted) {
            int queue = request.queue.node();
            Charge alone = new Charge(queue, new int[] {line}, new long[] {wanted});
            List<VictimSearch.Candidate> victims = request.queue.preempts()
                    ? victimSearch.search(workload, request.queue, alone.lines(), alone)
                    : List.of();
            lastAsked = new Asked(alone, victims);
            if (victims.isEmpty()) {
                return new Grade(
                        Service.NO_CANDIDATES,
                        ledger.lowestFitting(queue, line, wanted).height());
            }
            try (Ledger.Trial trial = ledger.trial()) {
                victims.forEach(victim -> victim.workload().chargeOrThrow().removeFrom(ledger));
                int height = ledger.lowestFitting(queue, line, wanted).height();
                boolean ownVictim = victims.stream()
                        .anyMatch(victim -> victim.workload().chargeOrThrow().queue() == queue);
                trial.rewind();
                return new Grade(ownVictim ? Service.PREEMPT : Service.RECLAIM, height);
            }
        }
    }

    /**
     * @param memory where an earlier scan stopped; null = from the first flavor
     * @param pinned flavors of an earlier nomination that must be kept; null = free to choose
     */
    Nomination nominate(
            TrackedWorkload workload,
            PreparedRequest request,
            @Nullable ScanMemory memory,
            @Nullable List<Choice> pinned) {
        lastAsked = null;
        Scan scan = new Scan(workload, request, memory, pinned);
        int[][] stoppedAt = new int[request.parts.size()][];
        for (int part = 0; part < stoppedAt.length; part++) {
            stoppedAt[part] = new int[request.parts.get(part).resources.length];
            Arrays.fill(stoppedAt[part], -1);
        }
        boolean complete = true;
        for (int part = 0; part < stoppedAt.length && complete; part++) {
            complete = scan.scanPart(part, stoppedAt[part]);
            if (!complete) {
                // A part that found no flavor for one of its resources has no use for other flavors of the rest.
                Arrays.fill(stoppedAt[part], -1);
            }
        }
        return new Nomination(
                request,
                complete ? scan.worst : Mode.NO_FIT,
                scan.borrowing,
                scan.choices,
                Charge.of(request.queue.node(), scan.taken),
                sortedOnce(scan.contested),
                scan.findings,
                stoppedAt);
    }

    /** The victims of the last nomination, if it asks for one line alone and they were looked for to grade it; null = they were not. */
    @Nullable List<VictimSearch.Candidate> victimsOf(Nomination nomination) {
        Asked asked = lastAsked;
        if (asked == null) {
            return null;
        }
        boolean same = Arrays.equals(asked.alone.lines(), nomination.contested())
                && Arrays.equals(asked.alone.lines(), nomination.charge().lines())
                && Arrays.equals(asked.alone.amounts(), nomination.charge().amounts());
        return same ? asked.victims : null;
    }
}
