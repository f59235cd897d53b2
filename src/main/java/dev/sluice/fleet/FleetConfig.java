package dev.sluice.fleet;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Which simulated fleet stands behind the cluster port, and how it behaves. */
@ConfigMapping(prefix = "sluice.fleet")
public interface FleetConfig {
    /** Of a fleet that is a process of its own; then everything below is that process's matter. None = a fleet in this process. */
    Optional<URI> url();

    /** What run times, start and termination times are divided by. */
    @WithDefault("1")
    double speed();

    /** Groups of nodes as {@link FleetNode#parse} reads them; none = there is no limit of capacity. */
    Optional<String> nodes();

    @WithDefault("PT0S")
    Duration startDelay();

    @WithDefault("PT0S")
    Duration terminationDelay();

    /** How long pods run whose workload does not say how long it takes; none = until they are stopped. */
    Optional<Duration> runTimeDefault();

    /** How long an ended job is remembered. */
    @WithDefault("PT10M")
    Duration retention();

    /** The settings of a fleet in this process. */
    default FleetSettings settings() {
        return new FleetSettings(
                speed(),
                startDelay(),
                terminationDelay(),
                nodes().map(FleetNode::parse).orElseGet(List::of),
                retention(),
                false,
                runTimeDefault().orElse(null));
    }
}
