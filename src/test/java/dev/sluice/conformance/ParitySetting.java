package dev.sluice.conformance;

import dev.sluice.testkit.OwnDatabase;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A service on an empty database that decides as Kueue does, with the fair sharing of some recorded stories. */
abstract class ParitySetting extends OwnDatabase {
    private static final Map<String, String> WORDS = Map.of(
            "LessThanOrEqualToFinalShare", "less-than-or-equal-to-final-share",
            "LessThanInitialShare", "less-than-initial-share");

    private final List<String> fairStrategies;

    /** @param fairStrategies empty = without fair sharing */
    ParitySetting(List<String> fairStrategies) {
        this.fairStrategies = fairStrategies;
    }

    @Override
    public Map<String, String> getConfigOverrides() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("sluice.scheduling.policies", "kueue-parity");
        settings.put("sluice.scheduling.leadership-time-to-live", "5s");
        if (!fairStrategies.isEmpty()) {
            settings.put("sluice.scheduling.fair-sharing.enabled", "true");
            settings.put(
                    "sluice.scheduling.fair-sharing.preemption-strategies",
                    String.join(",", fairStrategies.stream().map(WORDS::get).toList()));
        }
        return settings;
    }
}
