package dev.sluice.simulation;

import dev.sluice.admission.Engine;
import dev.sluice.admission.LedgerDrift;
import dev.sluice.admission.QuotaUsage;
import dev.sluice.quota.QuotaLine;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Nothing goes over a limit, and the engine's totals are what the formulas say. */
final class QuotaInvariants {
    private QuotaInvariants() {}

    /**
     * By ledger, node and line: how far what is available is below zero; nothing otherwise. A node that uses more than its quota
     * and what it may borrow, and a node from which more is borrowed than it lends, both show here.
     */
    static SortedMap<String, Long> excesses(Standing standing) {
        SortedMap<String, Long> excesses = new TreeMap<>();
        for (QuotaLine line : standing.tree().lines()) {
            for (String root : standing.tree().roots()) {
                collect(standing, root, line, excesses);
            }
        }
        return excesses;
    }

    private static void collect(Standing standing, String node, QuotaLine line, SortedMap<String, Long> excesses) {
        long held = standing.held().available(node, line);
        long promised = standing.promised().available(node, line);
        if (held < 0) {
            excesses.put("held at " + node + " " + line, -held);
        }
        if (promised < 0) {
            excesses.put("promised at " + node + " " + line, -promised);
        }
        standing.tree().children(node).forEach(child -> collect(standing, child, line, excesses));
    }

    /**
     * Those whose end is not waited for any longer count again; where they hold more than a quota that was cut, so much more than it is
     * promised again, and no more than is held.
     */
    static SortedMap<String, Long> withGivenUp(SortedMap<String, Long> before, Standing after) {
        SortedMap<String, Long> allowed = new TreeMap<>(before);
        for (QuotaLine line : after.tree().lines()) {
            after.tree().roots().stream()
                    .filter(after::anyGivenUpIn)
                    .forEach(root -> allowHeld(after, root, line, allowed));
        }
        return allowed;
    }

    private static void allowHeld(Standing after, String node, QuotaLine line, SortedMap<String, Long> allowed) {
        allowed.merge("promised at " + node + " " + line, -after.held().available(node, line), Math::max);
        after.tree().children(node).forEach(child -> allowHeld(after, child, line, allowed));
    }

    /** No excess grew that was not made by taking quota away, or by pods that run again. */
    static void checkLimits(SortedMap<String, Long> before, SortedMap<String, Long> after) {
        after.forEach((where, excess) -> {
            if (excess > before.getOrDefault(where, 0L)) {
                throw new BrokenInvariant(
                        "over the limit by " + excess + " instead of " + before.getOrDefault(where, 0L) + ": " + where);
            }
        });
    }

    static void checkTotals(Engine engine, Standing standing) {
        List<LedgerDrift> drift = engine.ledgerDrift();
        if (!drift.isEmpty()) {
            throw new BrokenInvariant("totals drifted: " + drift);
        }
        engine.usage().queues().forEach((queue, usage) -> {
            for (QuotaUsage.Line line : usage.lines()) {
                QuotaLine name = new QuotaLine(line.flavor(), line.resource());
                same("used", queue, name, standing.promised().used(queue, name), line.used());
                same(
                        "available",
                        queue,
                        name,
                        Math.max(0, standing.promised().available(queue, name)),
                        line.available());
                same("potential", queue, name, standing.tree().potential(queue, name), line.potential());
            }
        });
    }

    private static void same(String what, String queue, QuotaLine line, long expected, long told) {
        if (expected != told) {
            throw new BrokenInvariant(what + " at " + queue + " " + line + " is told as " + told + ", not " + expected);
        }
    }
}
