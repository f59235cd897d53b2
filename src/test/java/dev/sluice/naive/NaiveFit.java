package dev.sluice.naive;

import dev.sluice.naive.NaivePlan.Mode;
import dev.sluice.naive.NaiveWorkload.Memory;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorFungibility.Preference;
import dev.sluice.quota.FlavorFungibility.Search;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.Taint;
import dev.sluice.quota.Toleration;
import dev.sluice.simulation.PlainUsage;
import dev.sluice.workload.PodSet;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which flavors one workload gets with given numbers of pods. */
final class NaiveFit {
    /** Whom a workload must preempt. */
    interface Victims {
        List<NaiveVictim> find(Set<QuotaLine> contested, SortedMap<QuotaLine, Long> charge);
    }

    /** Worst first. */
    private enum Service {
        NO_FIT,
        NO_CANDIDATES,
        PREEMPT,
        RECLAIM,
        FIT
    }

    private record Grade(Service service, int borrowing) {}

    private final PlainUsage usage;
    private final ClusterQueue queue;
    private final Victims victims;
    private final boolean fairSharing;
    private final boolean earmarks;
    private final List<PodSet> podSets;
    private final List<Integer> counts;
    private final @Nullable Memory memory;
    /** Flavors that must be kept; null = free to choose. */
    private final @Nullable List<SortedMap<String, Integer>> pinned;

    private final List<SortedMap<String, Integer>> flavors = new ArrayList<>();
    private final List<SortedMap<String, Integer>> stopped = new ArrayList<>();
    private final SortedMap<QuotaLine, Long> taken = new TreeMap<>();
    private final Set<QuotaLine> contested = new TreeSet<>();
    private int borrowing;

    NaiveFit(
            PlainUsage usage,
            ClusterQueue queue,
            Victims victims,
            boolean fairSharing,
            boolean earmarks,
            List<PodSet> podSets,
            List<Integer> counts,
            @Nullable Memory memory,
            @Nullable List<SortedMap<String, Integer>> pinned) {
        this.usage = usage;
        this.queue = queue;
        this.victims = victims;
        this.fairSharing = fairSharing;
        this.earmarks = earmarks;
        this.podSets = podSets;
        this.counts = counts;
        this.memory = memory;
        this.pinned = pinned;
    }

    /** Pod sets that must get the same flavors, by number. */
    static List<List<Integer>> parts(List<PodSet> podSets) {
        Map<String, List<Integer>> parts = new LinkedHashMap<>();
        for (int index = 0; index < podSets.size(); index++) {
            String group = podSets.get(index).group();
            parts.computeIfAbsent(group == null ? "alone " + index : group, key -> new ArrayList<>())
                    .add(index);
        }
        return List.copyOf(parts.values());
    }

    static SortedMap<String, Long> request(ClusterQueue queue, PodSet podSet, int count) {
        SortedMap<String, Long> request = new TreeMap<>();
        podSet.requests().forEach((resource, each) -> request.put(resource, each * count));
        if (groupOf(queue, "pods") != null) {
            request.put("pods", (long) count);
        }
        return request;
    }

    static @Nullable ResourceGroup groupOf(ClusterQueue queue, String resource) {
        return queue.resourceGroups().stream()
                .filter(group -> group.coveredResources().contains(resource))
                .findFirst()
                .orElse(null);
    }

    NaivePlan plan() {
        List<List<Integer>> parts = parts(podSets);
        boolean complete = true;
        for (int part = 0; part < parts.size(); part++) {
            stopped.add(new TreeMap<>());
            complete = complete && scan(part, parts.get(part));
            if (!complete) {
                stopped.get(part).clear();
            }
        }
        Mode mode = !complete ? Mode.NO_FIT : contested.isEmpty() ? Mode.FIT : Mode.PREEMPT;
        SortedMap<QuotaLine, Long> room = new TreeMap<>(taken);
        room.keySet().removeIf(line -> !earmarks && line.resource().equals("pods"));
        List<NaiveVictim> found = mode == Mode.PREEMPT ? victims.find(contested, room) : List.of();
        return new NaivePlan(mode, borrowing, flavors, taken, contested, stopped, counts, found);
    }

    private boolean scan(int part, List<Integer> members) {
        SortedMap<String, Long> request =
                new TreeMap<>(earmarks ? Comparator.<String>naturalOrder() : Comparator.comparing(NaiveFit::hash));
        members.forEach(index -> request(queue, podSets.get(index), counts.get(index))
                .forEach((resource, amount) -> request.merge(resource, amount, Long::sum)));
        SortedMap<String, Integer> chosen = new TreeMap<>();
        Set<String> preempting = new TreeSet<>();
        for (Map.Entry<String, Long> entry : request.entrySet()) {
            ResourceGroup group = groupOf(queue, entry.getKey());
            if (group == null && entry.getValue() != 0) {
                return false;
            }
            if (group != null && !chosen.containsKey(entry.getKey())) {
                SortedMap<String, Long> ofGroup = new TreeMap<>(request);
                ofGroup.keySet().retainAll(group.coveredResources());
                if (!choose(part, members, entry.getKey(), group, ofGroup, chosen, preempting)) {
                    return false;
                }
            }
        }
        chosen.forEach((resource, flavor) -> {
            QuotaLine line = line(resource, flavor);
            taken.merge(line, request.getOrDefault(resource, 0L), Long::sum);
            if (preempting.contains(resource)) {
                contested.add(line);
            }
        });
        flavors.add(chosen);
        return true;
    }

    /** FNV-1a in 64 bits: Kueue keeps the resources of a request in that order. */
    private static BigInteger hash(String resource) {
        BigInteger hash = new BigInteger("14695981039346656037");
        for (int index = 0; index < resource.length(); index++) {
            hash = hash.xor(BigInteger.valueOf(resource.charAt(index)))
                    .multiply(BigInteger.valueOf(1099511628211L))
                    .mod(BigInteger.TWO.pow(64));
        }
        return hash;
    }

    private QuotaLine line(String resource, int flavor) {
        ResourceGroup group = groupOf(queue, resource);
        if (group == null) {
            throw new IllegalStateException(resource + " is in no group");
        }
        return new QuotaLine(group.flavors().get(flavor).flavor(), resource);
    }

    private boolean choose(
            int part,
            List<Integer> members,
            String first,
            ResourceGroup group,
            SortedMap<String, Long> request,
            SortedMap<String, Integer> chosen,
            Set<String> preempting) {
        Grade best = new Grade(Service.NO_FIT, Integer.MAX_VALUE);
        int bestFlavor = -1;
        int bestReach = 0;
        Set<String> bestPreempting = Set.of();
        int last = -1;
        int from = memory == null ? 0 : memory.next(part, first);
        for (int flavor = from; flavor < group.flavors().size(); flavor++) {
            last = flavor;
            boolean otherPinned = pinned != null
                    && !Integer.valueOf(flavor).equals(pinned.get(part).get(first));
            if (otherPinned || !matches(group.flavors().get(flavor).flavor(), members)) {
                continue;
            }
            Grade worst = new Grade(Service.FIT, 0);
            int reach = 0;
            Set<String> preemptingHere = new TreeSet<>();
            for (Map.Entry<String, Long> entry : request.entrySet()) {
                Grade grade = grade(line(entry.getKey(), flavor), entry.getValue());
                reach = Math.max(reach, grade.borrowing);
                worst = isPreferred(worst, grade) ? grade : worst;
                if (grade.service != Service.FIT && grade.service != Service.NO_FIT) {
                    preemptingHere.add(entry.getKey());
                }
            }
            boolean ends = endsScan(worst);
            if (ends || isPreferred(worst, best)) {
                best = worst;
                bestFlavor = flavor;
                bestReach = reach;
                bestPreempting = preemptingHere;
            }
            if (ends) {
                break;
            }
        }
        if (bestFlavor < 0) {
            return false;
        }
        borrowing = Math.max(borrowing, bestReach);
        preempting.addAll(bestPreempting);
        for (String resource : request.keySet()) {
            chosen.put(resource, bestFlavor);
            if (last < group.flavors().size() - 1) {
                stopped.get(part).put(resource, last);
            }
        }
        return true;
    }

    private boolean matches(String name, List<Integer> members) {
        return matches(usage.tree().configuration().resourceFlavors().get(name), podSets, members);
    }

    static boolean matches(@Nullable ResourceFlavor flavor, List<PodSet> podSets, List<Integer> members) {
        if (flavor == null) {
            return false;
        }
        for (int index : members) {
            PodSet podSet = podSets.get(index);
            List<Toleration> tolerations = new ArrayList<>(podSet.tolerations());
            tolerations.addAll(flavor.tolerations());
            for (Taint taint : flavor.nodeTaints()) {
                if (taint.repels() && tolerations.stream().noneMatch(toleration -> toleration.tolerates(taint))) {
                    return false;
                }
            }
            for (Map.Entry<String, String> label : podSet.nodeSelector().entrySet()) {
                String value = flavor.nodeLabels().get(label.getKey());
                if (value != null && !value.equals(label.getValue())) {
                    return false;
                }
            }
        }
        return true;
    }

    private Grade grade(QuotaLine line, long requested) {
        long wanted = taken.getOrDefault(line, 0L) + requested;
        if (wanted > usage.tree().potential(queue.name(), line)) {
            return new Grade(Service.NO_FIT, 0);
        }
        PlainUsage.Level level = usage.level(queue.name(), line, wanted);
        if (wanted <= Math.max(0, usage.available(queue.name(), line))) {
            return new Grade(Service.FIT, level.height());
        }
        boolean mayPreempt = usage.tree().nominal(queue.name(), line) >= wanted
                || level.smallerThanTree()
                || queue.preemption().borrowWithinCohort().allowed()
                || (fairSharing && queue.preemption().reclaimWithinCohort() != ReclaimWithinCohort.NEVER);
        if (!mayPreempt) {
            return new Grade(Service.NO_FIT, level.height());
        }
        List<NaiveVictim> found = victims.find(Set.of(line), new TreeMap<>(Map.of(line, wanted)));
        if (found.isEmpty()) {
            return new Grade(Service.NO_CANDIDATES, level.height());
        }
        PlainUsage without = usage;
        boolean ownVictim = false;
        for (NaiveVictim victim : found) {
            without = victim.workload().leave(without);
            ownVictim |= victim.workload().chargedTo().equals(queue.name());
        }
        return new Grade(
                ownVictim ? Service.PREEMPT : Service.RECLAIM,
                without.level(queue.name(), line, wanted).height());
    }

    private boolean isPreferred(Grade one, Grade other) {
        if (one.service == Service.NO_FIT || other.service == Service.NO_FIT) {
            return one.service != Service.NO_FIT;
        }
        if (one.service == Service.NO_CANDIDATES || other.service == Service.NO_CANDIDATES) {
            if (one.service != other.service) {
                return other.service == Service.NO_CANDIDATES;
            }
        }
        int byService = one.service.compareTo(other.service);
        int byBorrowing = Integer.compare(other.borrowing, one.borrowing);
        boolean serviceFirst = queue.flavorFungibility().preference() == Preference.BORROWING_OVER_PREEMPTION;
        return serviceFirst
                ? byService > 0 || (byService == 0 && byBorrowing > 0)
                : byBorrowing > 0 || (byBorrowing == 0 && byService > 0);
    }

    private boolean endsScan(Grade grade) {
        FlavorFungibility fungibility = queue.flavorFungibility();
        return switch (grade.service) {
            case NO_FIT, NO_CANDIDATES -> false;
            case PREEMPT, RECLAIM, FIT ->
                (grade.service == Service.FIT || fungibility.whenCanPreempt() == Search.MAY_STOP_SEARCH)
                        && (grade.borrowing == 0 || fungibility.whenCanBorrow() == Search.MAY_STOP_SEARCH);
        };
    }
}
