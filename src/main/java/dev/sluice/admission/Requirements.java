package dev.sluice.admission;

import dev.sluice.admission.Explanation.FlavorFinding;
import dev.sluice.admission.Explanation.Holder;
import dev.sluice.admission.Explanation.PreemptionFinding;
import dev.sluice.admission.Explanation.Requirement;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What each resource of a workload would find on each flavor of its group, all pod sets together. */
final class Requirements {
    private static final int HOLDERS_MOST = 10;

    private final Roster roster;
    private final VictimSearch victimSearch;
    private final Protection protection;
    private final Ledger ledger;

    Requirements(Roster roster, VictimSearch victimSearch, Protection protection) {
        this.protection = protection;
        this.roster = roster;
        this.victimSearch = victimSearch;
        ledger = roster.promised();
    }

    List<Requirement> of(TrackedWorkload one, QueueState queue, PreparedRequest request) {
        Map<String, Long> needed = new TreeMap<>();
        Map<String, PreparedRequest.Part> askedBy = new LinkedHashMap<>();
        for (PreparedRequest.Part part : request.parts) {
            for (int resource = 0; resource < part.resources.length; resource++) {
                needed.merge(part.resources[resource], part.totals[resource], Amounts::add);
                askedBy.putIfAbsent(part.resources[resource], part);
            }
        }
        List<Requirement> requirements = new ArrayList<>();
        needed.forEach((resource, amount) -> {
            List<FlavorFinding> findings = new ArrayList<>();
            Integer group = queue.compiled.groupOf().get(resource);
            PreparedRequest.Part part = askedBy.get(resource);
            if (group != null && part != null) {
                int flavors = queue.compiled.groups().get(group).flavors().size();
                for (int flavor = 0; flavor < flavors; flavor++) {
                    findings.add(finding(one, queue, part, resource, group, flavor, amount));
                }
            }
            requirements.add(new Requirement(resource, amount, findings));
        });
        return requirements;
    }

    private FlavorFinding finding(
            TrackedWorkload one,
            QueueState queue,
            PreparedRequest.Part part,
            String resource,
            int groupIndex,
            int flavor,
            long needed) {
        CompiledQueue.Group group = queue.compiled.groups().get(groupIndex);
        int line = group.lines()[flavor][group.resources().indexOf(resource)];
        int node = queue.node();
        long nominal = ledger.tree().nominal(node, line);
        long used = ledger.used(node, line);
        long available = ledger.availableToQueue(node, line);
        long own = Math.min(available, Math.max(0, Amounts.minus(nominal, used)));
        long shortBy = Math.max(0, Amounts.minus(needed, available));
        String mismatch = part.mismatch(groupIndex, flavor);
        boolean fits = mismatch == null && shortBy == 0 && part.unplaceable(groupIndex, flavor) == null;
        return new FlavorFinding(
                group.flavors().get(flavor),
                fits,
                nominal,
                used,
                available,
                Amounts.minus(available, own),
                shortBy,
                mismatch,
                shortBy == 0 ? List.of() : holders(queue, line),
                preemption(one, queue, line, needed, shortBy, mismatch != null));
    }

    private List<Holder> holders(QueueState queue, int line) {
        List<Holder> holders = new ArrayList<>();
        for (QueueState other : roster.treeOf(queue.node()).queues) {
            for (TrackedWorkload holder : other.holders.all) {
                long amount = holder.chargeOrThrow().amount(line);
                if (amount > 0) {
                    holders.add(new Holder(holder.id(), other.name(), amount));
                }
            }
        }
        return holders.stream()
                .sorted(Comparator.comparingLong(Holder::amount).reversed().thenComparing(Holder::workload))
                .limit(HOLDERS_MOST)
                .toList();
    }

    private PreemptionFinding preemption(
            TrackedWorkload one, QueueState queue, int line, long needed, long shortBy, boolean mismatched) {
        if (shortBy == 0) {
            return new PreemptionFinding(false, "NOT_NEEDED");
        }
        if (mismatched) {
            return new PreemptionFinding(false, "FLAVOR_MISMATCH");
        }
        if (needed > ledger.tree().potential(queue.node(), line)) {
            return new PreemptionFinding(false, "EXCEEDS_MAXIMUM");
        }
        if (!queue.compiled.preempts()) {
            return new PreemptionFinding(false, "POLICY_NEVER");
        }
        boolean reaches = ledger.tree().nominal(queue.node(), line) >= needed
                || ledger.lowestFitting(queue.node(), line, needed).smallerThanTree()
                || queue.compiled.preemption().borrowWithinCohort().allowed()
                || (roster.settings.fairSharing().isOn() && queue.compiled.reclaims());
        if (!reaches) {
            return new PreemptionFinding(false, "WOULD_BORROW");
        }
        Charge alone = new Charge(queue.node(), new int[] {line}, new long[] {needed});
        protection.forget();
        boolean found =
                !victimSearch.search(one, queue.compiled, alone.lines(), alone).isEmpty();
        Instant until = protection.endsFirst();
        if (found || until == null) {
            return new PreemptionFinding(found, found ? null : "NO_CANDIDATES");
        }
        return new PreemptionFinding(false, "MINIMUM_RUNTIME", until);
    }
}
