package dev.sluice.quota;

import java.util.List;

/** The quota lines of one flavor inside a resource group. */
public record FlavorQuotas(String flavor, List<ResourceQuota> resources) {
    public FlavorQuotas {
        resources = List.copyOf(resources);
    }
}
