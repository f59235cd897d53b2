package dev.sluice.quota;

import java.util.List;

/**
 * Resources that a pod set gets from one and the same flavor, and the flavors in the order in which they are tried.
 * Every flavor of a group has a line for every covered resource (validated where configuration comes in).
 */
public record ResourceGroup(List<String> coveredResources, List<FlavorQuotas> flavors) {
    public ResourceGroup {
        coveredResources = List.copyOf(coveredResources);
        flavors = List.copyOf(flavors);
    }
}
