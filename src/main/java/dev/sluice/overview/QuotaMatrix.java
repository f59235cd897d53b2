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
import dev.sluice.quota.Share;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Teams by quota lines: who owns, uses, borrows, lends and wants what. Bounded: where there are more queues or lines than asked for,
 * those under the most pressure are in it and the rest is counted.
 *
 * @param lines devices before other resources
 * @param rows in an order that does not change while usage moves: most nominal quota of the first line first
 * @param queues how many there are in all
 * @param linesInAll how many there are in all
 * @param waitingElsewhere workloads that wait in queues without a row
 */
public record QuotaMatrix(List<Line> lines, List<Row> rows, int queues, int linesInAll, long waitingElsewhere) {
    public QuotaMatrix {
        lines = List.copyOf(lines);
        rows = List.copyOf(rows);
    }

    /**
     * One flavor and resource over all queues, those without a row included. Amounts as everywhere: milli-units for cpu.
     *
     * @param nominal what all queues and cohorts own together
     * @param running what is charged, earmarks not counted
     * @param earmarked what is set aside for preemptors
     */
    public record Line(String flavor, String resource, long nominal, long running, long earmarked) {}

    /**
     * @param label its team, with the queue where the team has several; the queue where no team is named
     * @param fairShare of what can be borrowed, divided by its weight; null = fair sharing is off
     * @param cells one per line, in their order; null = the queue has no such line
     */
    public record Row(
            String clusterQueue,
            String label,
            @Nullable String cohort,
            @Nullable String inactiveBecause,
            int waiting,
            int admitted,
            @Nullable Share fairShare,
            List<@Nullable Cell> cells) {}

    /**
     * @param own used of its nominal quota, earmarks not counted
     * @param borrowed used above it, earmarks not counted
     * @param earmarked set aside for its preemptors
     * @param lent of its nominal quota, used by others
     * @param available what it can still get now
     * @param reach what it could use if nothing else ran
     * @param wanted what its waiting workloads ask for
     * @param kept what it never lends; 0 = it lends everything
     */
    public record Cell(
            long nominal,
            long own,
            long borrowed,
            long earmarked,
            long lent,
            long available,
            long reach,
            long wanted,
            long overcommitted,
            long kept,
            @Nullable Long borrowingLimit) {
        public long used() {
            return Amounts.add(Amounts.add(own, borrowed), earmarked);
        }
    }

    record LineKey(String flavor, String resource) {}

    static QuotaMatrix of(Configuration configuration, QuotaUsage usage, int rowsMax, int linesMax) {
        Map<LineKey, Line> totals = totals(configuration, usage);
        List<LineKey> lines = totals.keySet().stream()
                .sorted(Comparator.comparing((LineKey key) -> !isDevice(key.resource()))
                        .thenComparing(LineKey::resource)
                        .thenComparing(LineKey::flavor))
                .toList();
        List<LineKey> shown = lines.stream().limit(linesMax).toList();
        List<String> names = pressed(usage, rowsMax);
        Map<String, Integer> queuesOfTeam = queuesOfTeam(configuration);
        List<Row> rows = new ArrayList<>();
        for (String name : names) {
            QuotaUsage.Queue queue = usage.queues().get(name);
            if (queue != null) {
                rows.add(row(configuration, name, usage, queue, shown, queuesOfTeam));
            }
        }
        rows.sort(Comparator.comparingLong((Row row) -> -row.cells().stream()
                        .mapToLong(cell -> cell == null ? 0 : cell.nominal())
                        .findFirst()
                        .orElse(0))
                .thenComparing(Row::clusterQueue));
        long waiting = usage.queues().values().stream()
                .mapToLong(QuotaUsage.Queue::pending)
                .sum();
        long shownWaiting = rows.stream().mapToLong(Row::waiting).sum();
        return new QuotaMatrix(
                shown.stream()
                        .map(key -> totals.getOrDefault(key, new Line(key.flavor(), key.resource(), 0, 0, 0)))
                        .toList(),
                rows,
                usage.queues().size(),
                lines.size(),
                waiting - shownWaiting);
    }

    /** All queues if they are few; else those in which most wait, then those that use most of their nominal quota. */
    private static List<String> pressed(QuotaUsage usage, int rowsMax) {
        return usage.queues().entrySet().stream()
                .sorted(Comparator.comparingInt((Map.Entry<String, QuotaUsage.Queue> entry) ->
                                -entry.getValue().pending())
                        .thenComparingDouble(entry -> -usedShare(entry.getValue()))
                        .thenComparing(Map.Entry::getKey))
                .limit(rowsMax)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static double usedShare(QuotaUsage.Queue queue) {
        return queue.lines().stream()
                .mapToDouble(line -> line.used() / (double) Math.max(1, line.nominal()))
                .max()
                .orElse(0);
    }

    private static Map<LineKey, Line> totals(Configuration configuration, QuotaUsage usage) {
        Map<LineKey, Line> totals = new HashMap<>();
        for (QuotaUsage.Queue queue : usage.queues().values()) {
            for (QuotaUsage.Line line : queue.lines()) {
                totals.merge(
                        new LineKey(line.flavor(), line.resource()),
                        new Line(
                                line.flavor(),
                                line.resource(),
                                line.nominal(),
                                Math.max(0, line.used() - line.earmarked()),
                                line.earmarked()),
                        QuotaMatrix::sum);
            }
        }
        for (Cohort cohort : configuration.cohorts().values()) {
            for (ResourceGroup group : cohort.resourceGroups()) {
                for (FlavorQuotas flavor : group.flavors()) {
                    for (ResourceQuota quota : flavor.resources()) {
                        totals.computeIfPresent(
                                new LineKey(flavor.flavor(), quota.resource()),
                                (key, line) -> sum(
                                        line,
                                        new Line(
                                                key.flavor(),
                                                key.resource(),
                                                quota.nominal().units(key.resource()),
                                                0,
                                                0)));
                    }
                }
            }
        }
        return totals;
    }

    private static Line sum(Line left, Line right) {
        return new Line(
                left.flavor(),
                left.resource(),
                Amounts.add(left.nominal(), right.nominal()),
                Amounts.add(left.running(), right.running()),
                Amounts.add(left.earmarked(), right.earmarked()));
    }

    private static Row row(
            Configuration configuration,
            String name,
            QuotaUsage usage,
            QuotaUsage.Queue queue,
            List<LineKey> lines,
            Map<String, Integer> queuesOfTeam) {
        QuotaUsage.FairShares shares = usage.fairShares();
        ClusterQueue configured = configuration.clusterQueues().get(name);
        List<@Nullable Cell> cells = new ArrayList<>();
        for (LineKey key : lines) {
            QuotaUsage.Line line = queue.lines().stream()
                    .filter(each -> each.flavor().equals(key.flavor())
                            && each.resource().equals(key.resource()))
                    .findFirst()
                    .orElse(null);
            cells.add(line == null ? null : cell(configured, line));
        }
        return new Row(
                name,
                label(configuration, name, queuesOfTeam),
                configured == null ? null : configured.cohort(),
                queue.inactiveBecause(),
                queue.pending(),
                queue.admitted(),
                shares == null ? null : shares.queues().get(name),
                cells);
    }

    private static Cell cell(@Nullable ClusterQueue configured, QuotaUsage.Line line) {
        ResourceQuota quota = configured == null
                ? null
                : CohortStanding.quota(configured.resourceGroups(), line.flavor(), line.resource());
        Quantity lending = quota == null ? null : quota.lendingLimit();
        Quantity borrowing = quota == null ? null : quota.borrowingLimit();
        long running = Math.max(0, line.used() - line.earmarked());
        long borrowed = Math.max(0, line.borrowed() - line.earmarked());
        return new Cell(
                line.nominal(),
                running - Math.min(running, borrowed),
                Math.min(running, borrowed),
                line.earmarked(),
                line.lent(),
                line.available(),
                line.potential(),
                line.pending(),
                line.overcommitted(),
                lending == null ? 0 : Math.max(0, line.nominal() - lending.units(line.resource())),
                borrowing == null ? null : borrowing.units(line.resource()));
    }

    static Map<String, Integer> queuesOfTeam(Configuration configuration) {
        Map<String, Integer> queuesOfTeam = new HashMap<>();
        for (ClusterQueue queue : configuration.clusterQueues().values()) {
            String team = queue.team();
            if (team != null) {
                queuesOfTeam.merge(team, 1, Integer::sum);
            }
        }
        return queuesOfTeam;
    }

    static String label(Configuration configuration, String name, Map<String, Integer> queuesOfTeam) {
        ClusterQueue queue = configuration.clusterQueues().get(name);
        String team = queue == null ? null : queue.team();
        if (team == null) {
            return name;
        }
        String called = ReasonText.people(configuration, name);
        return queuesOfTeam.getOrDefault(team, 1) > 1 ? called + " · " + name : called;
    }

    /** Whether a resource is something scarce that people come for, rather than cpu, memory and the like. */
    static boolean isDevice(String resource) {
        return resource.indexOf('/') >= 0;
    }
}
