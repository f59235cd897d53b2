package dev.sluice.workload;

import dev.sluice.quota.Quantity;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns what pods ask for into what quotas count (Kueue's {@code resources.transformations}).
 *
 * @param input resource that is looked for
 * @param multiplyBy resource whose requested amount multiplies the input's; null, or not requested by the pod = once
 * @param outputs resource to factor: what one unit of the input adds; may be negative
 */
public record ResourceTransformation(
        String input, Strategy strategy, @Nullable String multiplyBy, SortedMap<String, Quantity> outputs) {
    public ResourceTransformation {
        outputs = Collections.unmodifiableSortedMap(new TreeMap<>(outputs));
    }

    /** Whether the input is still counted itself. */
    public enum Strategy {
        RETAIN,
        REPLACE
    }
}
