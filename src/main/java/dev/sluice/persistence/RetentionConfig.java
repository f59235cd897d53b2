package dev.sluice.persistence;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** {@code sluice.retention.*}: how long the store keeps what nothing needs any more. */
@ConfigMapping(prefix = "sluice.retention")
public interface RetentionConfig {
    /** Workloads after their end, with what was submitted. */
    @WithDefault("90d")
    Duration endedWorkloads();

    /** Entries of the event log; no longer than ended workloads, whose submissions it names. */
    @WithDefault("90d")
    Duration eventLog();

    /** Records of evictions. */
    @WithDefault("400d")
    Duration evictions();

    /** What became of a command that its caller no longer waits for. */
    @WithDefault("1d")
    Duration commandOutcomes();

    /** Between two sweeps. */
    @WithDefault("1h")
    Duration sweepInterval();

    default Retention.Times times() {
        return new Retention.Times(endedWorkloads(), eventLog(), evictions(), commandOutcomes());
    }
}
