package dev.sluice.fleet;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a fleet behaves as long as no script says otherwise.
 *
 * @param speed what run times, start and termination times are divided by, above 0
 * @param startDelay from the placement of the last pod until all are ready
 * @param terminationDelay from the stop until the last pod is gone
 * @param nodes empty = there is no limit of capacity, and every pod has a place at once
 * @param retention how long an ended job is remembered, as Kubernetes keeps one for its time to live
 * @param runTimeDefault how long pods run whose workload does not say; null = until they are stopped
 * @param audited whether every effect is kept in the audit, for ever; for tests and benchmarks
 */
public record FleetSettings(
        double speed,
        Duration startDelay,
        Duration terminationDelay,
        List<FleetNode> nodes,
        Duration retention,
        boolean audited,
        @Nullable Duration runTimeDefault) {
    private static final Duration RETENTION = Duration.ofMinutes(10);

    public FleetSettings {
        nodes = List.copyOf(nodes);
        if (!(speed > 0)) {
            throw new IllegalArgumentException("the speed must be above 0, not " + speed);
        }
        if (startDelay.isNegative() || terminationDelay.isNegative() || retention.isNegative()) {
            throw new IllegalArgumentException("a delay cannot be negative");
        }
    }

    /** No limit of capacity; pods start at once, and are gone at once when stopped. */
    public static FleetSettings unlimited() {
        return new FleetSettings(1, Duration.ZERO, Duration.ZERO, List.of(), RETENTION, false, null);
    }

    public static FleetSettings of(List<FleetNode> nodes) {
        return new FleetSettings(1, Duration.ZERO, Duration.ZERO, nodes, RETENTION, false, null);
    }

    public FleetSettings withSpeed(double speed) {
        return new FleetSettings(speed, startDelay, terminationDelay, nodes, retention, audited, runTimeDefault);
    }

    public FleetSettings withStartDelay(Duration startDelay) {
        return new FleetSettings(speed, startDelay, terminationDelay, nodes, retention, audited, runTimeDefault);
    }

    public FleetSettings withTerminationDelay(Duration terminationDelay) {
        return new FleetSettings(speed, startDelay, terminationDelay, nodes, retention, audited, runTimeDefault);
    }

    public FleetSettings withRetention(Duration retention) {
        return new FleetSettings(speed, startDelay, terminationDelay, nodes, retention, audited, runTimeDefault);
    }

    public FleetSettings withRunTimeDefault(Duration runTimeDefault) {
        return new FleetSettings(speed, startDelay, terminationDelay, nodes, retention, audited, runTimeDefault);
    }

    public FleetSettings withAudit() {
        return new FleetSettings(speed, startDelay, terminationDelay, nodes, retention, true, runTimeDefault);
    }
}
