package dev.sluice.api;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What quotas count of what pods ask for: Kueue's {@code resources} block of its configuration file. */
@ConfigMapping(prefix = "sluice.resources")
public interface ResourceAccounting {
    /** Resources whose names begin so are not counted. */
    Optional<List<String>> excludePrefixes();

    List<Transformation> transformations();

    interface Transformation {
        String input();

        /** {@code Retain}: the input is counted as well. {@code Replace}: only its outputs are. */
        @WithDefault("Retain")
        String strategy();

        Optional<String> multiplyBy();

        /** Resource to factor, a quantity. */
        Map<String, String> outputs();
    }
}
