package dev.sluice.quota;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An inner node of the tree, with shared quota of its own if it has resource groups.
 *
 * @param parent null = a root. A parent that is not configured is an implicit cohort: no quota of its own, weight 1
 * @param weight fair-sharing weight; 1 unless set, 0 = an infinite share
 */
public record Cohort(String name, @Nullable String parent, List<ResourceGroup> resourceGroups, Quantity weight) {
    public Cohort {
        resourceGroups = List.copyOf(resourceGroups);
    }
}
