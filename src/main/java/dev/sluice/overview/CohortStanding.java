package dev.sluice.overview;

import dev.sluice.admission.QuotaUsage;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where one queue stands on one quota line among all others of its tree. Every unit that the others own is in exactly one of
 * {@code inUse}, {@code keepers} and {@code free}.
 *
 * @param borrowingLimit most above nominal; null = no limit
 * @param cohort whether the queue is in one; otherwise the figures of the others are 0
 * @param others what the rest of the tree owns
 * @param inUse of {@code others}, used by anybody, this queue included
 * @param setAside whether part of {@code inUse} is an earmark
 * @param keepers who holds back an unused part of theirs by a lending limit
 * @param free the rest
 */
record CohortStanding(
        long nominal,
        long used,
        long lent,
        @Nullable Long borrowingLimit,
        boolean cohort,
        long others,
        long inUse,
        boolean setAside,
        List<Keeper> keepers,
        long free) {
    CohortStanding {
        keepers = List.copyOf(keepers);
    }

    record Keeper(String clusterQueue, long amount) {}

    /** Null = the queue or its line is not configured or not known to the engine. */
    static @Nullable CohortStanding of(
            Configuration configuration, QuotaUsage usage, String clusterQueue, String flavor, String resource) {
        ClusterQueue queue = configuration.clusterQueues().get(clusterQueue);
        QuotaUsage.Line own = line(usage, clusterQueue, flavor, resource);
        ResourceQuota quota = queue == null ? null : quota(queue.resourceGroups(), flavor, resource);
        if (queue == null || own == null || quota == null) {
            return null;
        }
        Quantity limit = quota.borrowingLimit();
        Long borrowingLimit = limit == null ? null : limit.units(resource);
        String parent = queue.cohort();
        if (parent == null) {
            return new CohortStanding(
                    own.nominal(), own.used(), own.lent(), borrowingLimit, false, 0, 0, false, List.of(), 0);
        }
        String root = root(configuration, parent);
        long others = 0;
        long inUse = Amounts.subtract(own.borrowed(), own.lent());
        boolean setAside = false;
        List<Keeper> keepers = new ArrayList<>();
        for (ClusterQueue other : configuration.clusterQueues().values()) {
            String cohort = other.cohort();
            QuotaUsage.Line line = line(usage, other.name(), flavor, resource);
            if (other.name().equals(clusterQueue)
                    || line == null
                    || cohort == null
                    || !root(configuration, cohort).equals(root)) {
                continue;
            }
            others = Amounts.add(others, line.nominal());
            setAside |= line.earmarked() > 0;
            inUse = Amounts.add(inUse, line.used());
            long kept = keptIdle(other, line, flavor, resource);
            if (kept > 0) {
                keepers.add(new Keeper(other.name(), kept));
            }
        }
        for (Cohort cohort : configuration.cohorts().values()) {
            ResourceQuota shared = quota(cohort.resourceGroups(), flavor, resource);
            if (shared != null && root(configuration, cohort.name()).equals(root)) {
                others = Amounts.add(others, shared.nominal().units(resource));
            }
        }
        long kept = keepers.stream().mapToLong(Keeper::amount).sum();
        // An earmark and the victims that still hold it are both charged: together they can be more than there is.
        inUse = Math.clamp(inUse, 0, Math.max(0, others - kept));
        return new CohortStanding(
                own.nominal(),
                own.used(),
                own.lent(),
                borrowingLimit,
                true,
                others,
                inUse,
                setAside,
                keepers,
                Math.max(0, others - inUse - kept));
    }

    /** What the queue has unused and never lends. */
    private static long keptIdle(ClusterQueue queue, QuotaUsage.Line line, String flavor, String resource) {
        ResourceQuota quota = quota(queue.resourceGroups(), flavor, resource);
        Quantity limit = quota == null ? null : quota.lendingLimit();
        if (limit == null) {
            return 0;
        }
        return Math.max(0, line.nominal() - limit.units(resource) - line.used());
    }

    static QuotaUsage.@Nullable Line line(QuotaUsage usage, String clusterQueue, String flavor, String resource) {
        QuotaUsage.Queue queue = usage.queues().get(clusterQueue);
        if (queue == null) {
            return null;
        }
        for (QuotaUsage.Line line : queue.lines()) {
            if (line.flavor().equals(flavor) && line.resource().equals(resource)) {
                return line;
            }
        }
        return null;
    }

    static @Nullable ResourceQuota quota(List<ResourceGroup> groups, String flavor, String resource) {
        for (ResourceGroup group : groups) {
            for (FlavorQuotas quotas : group.flavors()) {
                if (!quotas.flavor().equals(flavor)) {
                    continue;
                }
                for (ResourceQuota quota : quotas.resources()) {
                    if (quota.resource().equals(resource)) {
                        return quota;
                    }
                }
            }
        }
        return null;
    }

    /** Ends also when cohorts form a cycle (their queues are inactive then). */
    static String root(Configuration configuration, String cohort) {
        Set<String> seen = new HashSet<>();
        String current = cohort;
        while (seen.add(current)) {
            Cohort node = configuration.cohorts().get(current);
            String parent = node == null ? null : node.parent();
            if (parent == null) {
                return current;
            }
            current = parent;
        }
        return current;
    }
}
