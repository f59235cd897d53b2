package dev.sluice.workload;

import dev.sluice.quota.DeviceResources;
import dev.sluice.quota.Resources;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The way from a pod's effective request to the quota lines that it is charged to: transformations, excluded prefixes, the
 * DeviceClass behind an extended resource; then, and only then, rounding up to whole amounts.
 *
 * @param transformations at most one for an input
 * @param excludedPrefixes resources whose names begin so are not counted
 */
public record QuotaCharge(List<ResourceTransformation> transformations, List<String> excludedPrefixes) {
    public static final QuotaCharge PLAIN = new QuotaCharge(List.of(), List.of());

    private static final BigDecimal AMOUNT_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    public QuotaCharge {
        transformations = List.copyOf(transformations);
        excludedPrefixes = List.copyOf(excludedPrefixes);
        long inputs = transformations.stream()
                .map(ResourceTransformation::input)
                .distinct()
                .count();
        if (inputs != transformations.size()) {
            throw new IllegalArgumentException("two resource transformations have the same input");
        }
    }

    /**
     * @param request resource to amount in base units, none negative
     * @return quota line to amount (milli-units for cpu), at least 0, saturating
     */
    public SortedMap<String, Long> of(SortedMap<String, BigDecimal> request, DeviceResources devices) {
        SortedMap<String, BigDecimal> counted = new TreeMap<>();
        request.forEach((resource, amount) -> count(counted, request, resource, amount));
        SortedMap<String, BigDecimal> lines = new TreeMap<>();
        counted.forEach((resource, amount) -> {
            if (excludedPrefixes.stream().noneMatch(resource::startsWith)) {
                lines.merge(devices.quotaKey(resource), amount, BigDecimal::add);
            }
        });
        SortedMap<String, Long> charge = new TreeMap<>();
        lines.forEach((line, amount) -> charge.put(line, amount(line, amount)));
        return charge;
    }

    private void count(
            SortedMap<String, BigDecimal> counted,
            SortedMap<String, BigDecimal> request,
            String resource,
            BigDecimal amount) {
        for (ResourceTransformation transformation : transformations) {
            if (transformation.input().equals(resource)) {
                BigDecimal input = transformation.multiplyBy() == null
                        ? amount
                        : amount.multiply(request.getOrDefault(transformation.multiplyBy(), BigDecimal.ONE));
                transformation
                        .outputs()
                        .forEach((output, factor) ->
                                counted.merge(output, factor.value().multiply(input), BigDecimal::add));
                if (transformation.strategy() == ResourceTransformation.Strategy.REPLACE) {
                    return;
                }
            }
        }
        counted.merge(resource, amount, BigDecimal::add);
    }

    private static long amount(String line, BigDecimal base) {
        if (base.signum() <= 0) {
            return 0;
        }
        BigDecimal scaled = Resources.isCountedInMilli(line) ? base.movePointRight(3) : base;
        return scaled.compareTo(AMOUNT_MAX) >= 0
                ? Long.MAX_VALUE
                : scaled.setScale(0, RoundingMode.CEILING).longValueExact();
    }
}
