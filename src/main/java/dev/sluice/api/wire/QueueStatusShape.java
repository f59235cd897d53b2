package dev.sluice.api.wire;

import dev.sluice.admission.QuotaUsage;
import dev.sluice.api.wire.ClusterQueueBody.LineUsage;
import dev.sluice.api.wire.ClusterQueueBody.QueueStatus;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.Resources;
import dev.sluice.quota.Share;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes the status of a queue from its usage: by quota key over all flavors, and line by line. */
public final class QueueStatusShape {
    private QueueStatusShape() {}

    /** @param share null = fair sharing is off */
    public static QueueStatus of(QuotaUsage.Queue queue, @Nullable Share share) {
        SortedMap<String, QuotaUsage.Line> keys = new TreeMap<>();
        queue.lines().forEach(line -> keys.merge(line.resource(), line, QueueStatusShape::sum));
        SortedMap<String, LineUsage> usage = new TreeMap<>();
        keys.forEach((key, line) -> usage.put(key, line(line)));
        List<LineUsage> lines =
                queue.lines().stream().map(QueueStatusShape::line).toList();
        return new QueueStatus(
                usage,
                lines,
                queue.pending(),
                queue.admitted(),
                queue.inactiveBecause() == null,
                queue.inactiveBecause(),
                FairShareStatus.of(share));
    }

    /** What waits is not bound to a flavor yet, so each line of a resource tells the same of it. */
    private static QuotaUsage.Line sum(QuotaUsage.Line left, QuotaUsage.Line right) {
        return new QuotaUsage.Line(
                "",
                left.resource(),
                Amounts.add(left.nominal(), right.nominal()),
                Amounts.add(left.used(), right.used()),
                Amounts.add(left.earmarked(), right.earmarked()),
                Amounts.add(left.borrowed(), right.borrowed()),
                Amounts.add(left.lent(), right.lent()),
                Amounts.add(left.overcommitted(), right.overcommitted()),
                Amounts.add(left.available(), right.available()),
                Amounts.add(left.potential(), right.potential()),
                Math.max(left.pending(), right.pending()));
    }

    private static LineUsage line(QuotaUsage.Line line) {
        String resource = line.resource();
        return new LineUsage(
                line.flavor().isEmpty() ? null : line.flavor(),
                resource,
                Resources.format(resource, line.nominal()),
                Resources.format(resource, line.used()),
                Resources.format(resource, line.earmarked()),
                Resources.format(resource, line.borrowed()),
                Resources.format(resource, line.lent()),
                Resources.format(resource, line.overcommitted()),
                Resources.format(resource, line.available()),
                Resources.format(resource, line.pending()));
    }
}
