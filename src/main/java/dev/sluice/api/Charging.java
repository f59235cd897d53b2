package dev.sluice.api;

import dev.sluice.quota.Quantity;
import dev.sluice.workload.QuotaCharge;
import dev.sluice.workload.ResourceTransformation;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Makes the rules of charging from the settings; a setting that makes no sense stops the start. */
class Charging {
    @Produces
    @Singleton
    QuotaCharge quotaCharge(ResourceAccounting accounting) {
        return new QuotaCharge(
                accounting.transformations().stream()
                        .map(Charging::transformation)
                        .toList(),
                accounting.excludePrefixes().orElse(List.of()));
    }

    private static ResourceTransformation transformation(ResourceAccounting.Transformation setting) {
        SortedMap<String, Quantity> outputs = new TreeMap<>();
        setting.outputs().forEach((resource, factor) -> outputs.put(resource, Quantity.parse(factor)));
        return new ResourceTransformation(
                setting.input(),
                strategy(setting.strategy()),
                setting.multiplyBy().orElse(null),
                outputs);
    }

    private static ResourceTransformation.Strategy strategy(String word) {
        return switch (word) {
            case "Retain" -> ResourceTransformation.Strategy.RETAIN;
            case "Replace" -> ResourceTransformation.Strategy.REPLACE;
            default ->
                throw new IllegalArgumentException(
                        "sluice.resources.transformations: strategy must be Retain or Replace, not " + word);
        };
    }
}
