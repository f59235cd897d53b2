package dev.sluice.overview;

import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.WaitReason;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.Team;
import dev.sluice.workload.WorkloadId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says in one sentence, with numbers and in people's units, why a workload waits. The subject of each sentence is the workload
 * itself and is left out: "Needs 2 GPUs; team batch can get 0 now: …".
 *
 * <p>The reason is as recorded; configuration and usage of the moment add who holds what is missing. Made for one reading and one
 * thread.
 */
public final class ReasonText {
    static final int NAMED_MAX = 3;
    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Configuration configuration;
    private final QuotaUsage usage;
    private final Function<WorkloadId, @Nullable String> names;
    private final AmountText amounts;
    private final Map<LineKey, Optional<CohortStanding>> standings = new HashMap<>();

    /** @param names what people call a workload, such as {@code namespace/name}; null = not known, then its id is shown */
    public ReasonText(Configuration configuration, QuotaUsage usage, Function<WorkloadId, @Nullable String> names) {
        this.configuration = configuration;
        this.usage = usage;
        this.names = names;
        this.amounts = new AmountText(configuration);
    }

    /** For where neither configuration nor usage is at hand: the numbers of the reason alone. */
    public static ReasonText plain() {
        return new ReasonText(Configuration.EMPTY, new QuotaUsage(new TreeMap<>()), workload -> null);
    }

    /** @param clusterQueue in which it waits; null = none */
    public String sentence(WaitReason reason, @Nullable String clusterQueue) {
        return switch (reason) {
            case WaitReason.QuotaExhausted exhausted -> quotaExhausted(exhausted, clusterQueue);
            case WaitReason.ExceedsMaximum exceeds ->
                "Can never start as configured: needs %s, and %s could reach %s at most, even with nothing else running."
                        .formatted(
                                amounts.amount(exceeds.resource(), exceeds.requested()),
                                holder(clusterQueue),
                                amounts.number(exceeds.resource(), exceeds.largestPossible())
                                        + onFlavor(clusterQueue, exceeds.resource(), exceeds.flavor()));
            case WaitReason.NoMatchingFlavor(String resource, List<WaitReason.Mismatch> mismatches) ->
                "Can never start as configured: no flavor that has %s takes its pods (%s)."
                        .formatted(
                                amounts.unit(resource),
                                mismatches.stream()
                                        .map(mismatch -> mismatch.flavor() + ": " + mismatch.what())
                                        .collect(Collectors.joining("; ")));
            case WaitReason.ResourceNotCovered(String resource, String queue, long requested) ->
                "Can never start as configured: needs %s, and queue %s has no quota for %s."
                        .formatted(amounts.amount(resource, requested), queue, amounts.unit(resource));
            case WaitReason.NotPlaceable(String resource, String flavor, long requested, long usable) ->
                "Has the quota, but not the nodes: needs %s, and the usable nodes%s have %s in all."
                        .formatted(
                                amounts.amount(resource, requested),
                                onFlavor(clusterQueue, resource, flavor),
                                amounts.number(resource, usable));
            case WaitReason.AwaitingVictims awaiting -> awaitingVictims(awaiting.victims()) + stuck(awaiting);
            case WaitReason.BlockedByEarlier(WorkloadId ahead, WaitReason aheadWaitsFor) ->
                "Waits behind %s, which may not be passed; that one %s"
                        .formatted(name(ahead), lowerFirst(sentence(aheadWaitsFor, clusterQueue)));
            case WaitReason.QueueStopped(String queue, String localQueue) ->
                "Waits because %s is stopped; it goes on when the stop policy is None again."
                        .formatted(localQueue == null ? "queue " + queue : "local queue " + localQueue);
            case WaitReason.QueueInactive(String queue, String why) ->
                "Waits because queue %s is not active: %s.".formatted(queue, why);
            case WaitReason.NamespaceNotAllowed(String namespace, String queue) ->
                "Waits because queue %s takes no workloads from namespace %s.".formatted(queue, namespace);
            case WaitReason.BackingOff backingOff ->
                "Waits until %s before it is tried again, after %s%s."
                        .formatted(
                                CLOCK.format(backingOff.until()),
                                backingOff.evictionCount() == 1
                                        ? "1 eviction"
                                        : backingOff.evictionCount() + " evictions",
                                backingOff.why() == null ? "" : "; its last start failed: " + backingOff.why());
            case WaitReason.Deactivated(String why) ->
                why == null
                        ? "Was deactivated and waits until somebody activates it."
                        : "Was given up, because its starts failed, and waits until somebody activates it: " + why
                                + ".";
            case WaitReason.AwaitingChecks(var messages) ->
                "Has its quota and starts when %s ready: %s."
                        .formatted(
                                messages.size() == 1
                                        ? "its admission check is"
                                        : "its " + messages.size() + " admission checks are",
                                messages.entrySet().stream()
                                        .map(check -> check.getKey()
                                                + (check.getValue().isEmpty() ? "" : " (" + check.getValue() + ")"))
                                        .collect(Collectors.joining(", ")));
            case WaitReason.NotYetConsidered() -> "Arrived a moment ago and is looked at next.";
        };
    }

    private String awaitingVictims(List<WorkloadId> victims) {
        if (victims.isEmpty()) {
            return "Has its place set aside and starts when those who leave are gone.";
        }
        return "Has its place set aside and starts when %s: %s."
                .formatted(
                        victims.size() == 1
                                ? "the workload that makes room is gone"
                                : "the " + victims.size() + " workloads that make room are gone",
                        named(victims));
    }

    /** The one that leaves the longest is told by name. */
    private String stuck(WaitReason.AwaitingVictims awaiting) {
        int more = awaiting.stuck().size() - 1;
        return awaiting.longestStuck()
                .map(longest -> " But %s was told to leave at %s and does not end%s."
                        .formatted(
                                name(longest),
                                CLOCK.format(awaiting.stuck().get(longest)),
                                more == 0 ? "" : ", nor " + (more == 1 ? "does 1" : "do " + more) + " more"))
                .orElse("");
    }

    private String quotaExhausted(WaitReason.QuotaExhausted reason, @Nullable String clusterQueue) {
        String resource = reason.resource();
        String head = "Needs %s; %s can get %s now%s"
                .formatted(
                        amounts.amount(resource, reason.requested()),
                        holder(clusterQueue),
                        amounts.number(resource, reason.available()),
                        onFlavor(clusterQueue, resource, reason.flavor()));
        CohortStanding standing = clusterQueue == null ? null : standing(clusterQueue, reason.flavor(), resource);
        return standing == null ? head + "." : head + ": " + standing(standing, resource) + ".";
    }

    /** Kept, since a page of one queue's workloads asks for the same line again and again. */
    private @Nullable CohortStanding standing(String clusterQueue, String flavor, String resource) {
        return standings
                .computeIfAbsent(
                        new LineKey(clusterQueue, flavor, resource),
                        key -> Optional.ofNullable(
                                CohortStanding.of(configuration, usage, clusterQueue, flavor, resource)))
                .orElse(null);
    }

    private String standing(CohortStanding standing, String resource) {
        StringBuilder text = new StringBuilder("nominal ")
                .append(amounts.number(resource, standing.nominal()))
                .append(", used ")
                .append(amounts.number(resource, standing.used()));
        if (standing.lent() > 0) {
            text.append(", lent ").append(amounts.number(resource, standing.lent()));
        }
        Long limit = standing.borrowingLimit();
        if (!standing.cohort()) {
            text.append("; it is in no cohort, so it cannot borrow");
        } else if (limit != null && ownRoom(standing, limit) < openToBorrow(standing)) {
            text.append("; it may borrow ")
                    .append(amounts.number(resource, limit))
                    .append(" at most");
        } else if (standing.others() == 0) {
            text.append("; nobody else in its cohort owns any");
        } else if (standing.inUse() == standing.others()) {
            text.append("; the cohort's other ")
                    .append(amounts.number(resource, standing.others()))
                    .append(" are all ")
                    .append(used(standing));
        } else {
            text.append("; of the cohort's other ")
                    .append(amounts.number(resource, standing.others()))
                    .append(", ")
                    .append(others(standing, resource));
        }
        return text.toString();
    }

    private static long ownRoom(CohortStanding standing, long borrowingLimit) {
        return Amounts.subtract(Amounts.add(standing.nominal(), borrowingLimit), standing.used());
    }

    /** What it could get if its own borrowing limit did not bound it. */
    private static long openToBorrow(CohortStanding standing) {
        return standing.free() + Math.max(0, standing.nominal() - standing.used() - standing.lent());
    }

    private String others(CohortStanding standing, String resource) {
        List<String> parts = new ArrayList<>();
        if (standing.inUse() > 0 || standing.keepers().isEmpty()) {
            parts.add(amounts.number(resource, standing.inUse())
                    + (standing.inUse() == 1 ? " is " : " are ")
                    + used(standing));
        }
        if (!standing.keepers().isEmpty()) {
            parts.add(keep(standing, resource));
        }
        if (standing.free() > 0) {
            parts.add(amounts.number(resource, standing.free()) + (standing.free() == 1 ? " is free" : " are free"));
        }
        return listed(parts);
    }

    private static String used(CohortStanding standing) {
        return standing.setAside() ? "in use or set aside" : "in use";
    }

    private String keep(CohortStanding standing, String resource) {
        List<CohortStanding.Keeper> keepers = standing.keepers();
        if (keepers.size() == 1) {
            CohortStanding.Keeper keeper = keepers.getFirst();
            return people(keeper.clusterQueue()) + " keeps " + amounts.number(resource, keeper.amount()) + " to itself";
        }
        long kept = keepers.stream().mapToLong(CohortStanding.Keeper::amount).sum();
        return keepers.size() + " queues keep " + amounts.number(resource, kept) + " to themselves";
    }

    /**
     * The reason as the second half of a sentence that has already said who waits; no full stop.
     *
     * @param who the subject: the holder's name, or "it" where that was just said
     */
    String cause(WaitReason reason, @Nullable String clusterQueue, String who) {
        if (!(reason instanceof WaitReason.QuotaExhausted exhausted) || clusterQueue == null) {
            String sentence = sentence(reason, clusterQueue);
            return "the first one " + lowerFirst(sentence.substring(0, sentence.length() - 1));
        }
        String resource = exhausted.resource();
        String head = exhausted.available() == 0
                ? who + " can get no more"
                : "%s can get %s more and the first one needs %s"
                        .formatted(
                                who,
                                amounts.number(resource, exhausted.available()),
                                amounts.number(resource, exhausted.requested()));
        CohortStanding standing = standing(clusterQueue, exhausted.flavor(), resource);
        if (standing == null) {
            return head;
        }
        Long limit = standing.borrowingLimit();
        if (!standing.cohort()) {
            return head + " of its nominal " + amounts.number(resource, standing.nominal());
        }
        if (limit != null && ownRoom(standing, limit) < openToBorrow(standing)) {
            return head + ", since it may borrow " + amounts.number(resource, limit) + " at most";
        }
        if (standing.keepers().isEmpty()) {
            return head + ", since "
                    + (standing.free() == 0
                            ? "all of the cohort is " + used(standing)
                            : amounts.number(resource, standing.inUse()) + " of the cohort's other "
                                    + amounts.number(resource, standing.others()) + " are " + used(standing));
        }
        return head + ", since " + keep(standing, resource);
    }

    /** "team batch", or "queue batch-2" where no team is named. */
    String holder(@Nullable String clusterQueue) {
        if (clusterQueue == null) {
            return "its queue";
        }
        ClusterQueue queue = configuration.clusterQueues().get(clusterQueue);
        if (queue == null || queue.team() == null) {
            return "queue " + clusterQueue;
        }
        String team = people(clusterQueue);
        return team.regionMatches(true, 0, "team", 0, 4) ? team : "team " + team;
    }

    private String people(String clusterQueue) {
        return people(configuration, clusterQueue);
    }

    /** What people call a queue: its team's display name, its team, or its own name. */
    static String people(Configuration configuration, String clusterQueue) {
        ClusterQueue queue = configuration.clusterQueues().get(clusterQueue);
        String name = queue == null ? null : queue.team();
        if (name == null) {
            return clusterQueue;
        }
        Team team = configuration.teams().get(name);
        return team == null || team.displayName().isBlank() ? name : team.displayName();
    }

    /** Named only where the queue has a choice of flavors: with one, the word tells nobody anything. */
    private String onFlavor(@Nullable String clusterQueue, String resource, String flavor) {
        ClusterQueue queue =
                clusterQueue == null ? null : configuration.clusterQueues().get(clusterQueue);
        if (queue == null) {
            return "";
        }
        for (ResourceGroup group : queue.resourceGroups()) {
            if (group.coveredResources().contains(resource) && group.flavors().size() > 1) {
                return " of flavor " + flavor;
            }
        }
        return "";
    }

    private String named(List<WorkloadId> workloads) {
        List<String> parts = new ArrayList<>(
                workloads.stream().limit(NAMED_MAX).map(this::name).toList());
        if (workloads.size() > NAMED_MAX) {
            parts.add((workloads.size() - NAMED_MAX) + " more");
        }
        return listed(parts);
    }

    private String name(WorkloadId workload) {
        String name = names.apply(workload);
        return name == null ? workload.value() : name;
    }

    static String listed(List<String> parts) {
        if (parts.size() < 2) {
            return String.join("", parts);
        }
        return String.join(", ", parts.subList(0, parts.size() - 1)) + " and " + parts.getLast();
    }

    private record LineKey(String clusterQueue, String flavor, String resource) {}

    private static String lowerFirst(String sentence) {
        return sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1);
    }
}
