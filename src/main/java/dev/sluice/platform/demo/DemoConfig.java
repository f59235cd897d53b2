package dev.sluice.platform.demo;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** {@code sluice.demo.*}: what is played, if anything. */
@ConfigMapping(prefix = "sluice.demo")
public interface DemoConfig {
    /** {@code three-teams} or {@code none}. */
    @WithDefault("none")
    String scenario();

    /** How long a step stays to be looked at, in the fleet's time; the fleet's speed divides it. */
    @WithDefault("PT15M")
    Duration stepDuration();

    /** Shortest time that a step stays, in real time: at high speed it must still be possible to see it. */
    @WithDefault("PT2S")
    Duration stepDurationMin();
}
