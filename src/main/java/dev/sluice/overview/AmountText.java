package dev.sluice.overview;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.quota.Resources;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Amounts in people's words: {@code 2 GPUs}, {@code 0.5 CPUs}, {@code 64Gi memory}. A resource is called by the shortest name that
 * no other configured resource shares.
 */
public final class AmountText {
    private final Map<String, String> shortNames;

    public AmountText(Configuration configuration) {
        this.shortNames = shortNames(resources(configuration));
    }

    /** Such as {@code gpu} for {@code nvidia.com/gpu} and for {@code deviceclass/gpu.example.com}. */
    public String line(String resource) {
        return shortNames.getOrDefault(resource, shortName(resource));
    }

    /** With the unit: {@code 2 GPUs}. */
    public String amount(String resource, long amount) {
        String number = number(resource, amount);
        String line = line(resource);
        if (line.equals("gpu") || line.equals("cpu")) {
            String unit = line.equals("gpu") ? "GPU" : "CPU";
            return number + " " + (number.equals("1") ? unit : unit + "s");
        }
        return number + " " + line;
    }

    /** The unit as a heading has it: {@code GPUs}. */
    public String unit(String resource) {
        String line = line(resource);
        return switch (line) {
            case "gpu" -> "GPUs";
            case "cpu" -> "CPUs";
            default -> line;
        };
    }

    /** Without the unit; cpu as a decimal number of cores, bytes of memory in their largest whole unit. */
    public String number(String resource, long amount) {
        if (Resources.isCountedInMilli(resource)) {
            return BigDecimal.valueOf(amount, 3).stripTrailingZeros().toPlainString();
        }
        return Resources.format(resource, amount);
    }

    private static SortedSet<String> resources(Configuration configuration) {
        SortedSet<String> resources = new TreeSet<>();
        configuration.clusterQueues().values().forEach(queue -> collect(queue.resourceGroups(), resources));
        configuration.cohorts().values().forEach(cohort -> collect(cohort.resourceGroups(), resources));
        return resources;
    }

    private static void collect(List<ResourceGroup> groups, SortedSet<String> resources) {
        for (ResourceGroup group : groups) {
            for (FlavorQuotas flavor : group.flavors()) {
                for (ResourceQuota quota : flavor.resources()) {
                    resources.add(quota.resource());
                }
            }
        }
    }

    private static Map<String, String> shortNames(SortedSet<String> resources) {
        Map<String, Integer> uses = new HashMap<>();
        resources.forEach(resource -> uses.merge(shortName(resource), 1, Integer::sum));
        Map<String, String> names = new HashMap<>();
        for (String resource : resources) {
            String name = shortName(resource);
            names.put(resource, uses.getOrDefault(name, 0) > 1 ? longName(resource) : name);
        }
        return names;
    }

    private static String longName(String resource) {
        return Resources.isDeviceClass(resource)
                ? resource.substring(Resources.DEVICE_CLASS_PREFIX.length())
                : resource;
    }

    private static String shortName(String resource) {
        if (Resources.isDeviceClass(resource)) {
            String named = longName(resource);
            int slash = named.indexOf('/');
            String deviceClass = slash < 0 ? named : named.substring(0, slash);
            String dimension = slash < 0 ? "" : " " + named.substring(slash + 1);
            int dot = deviceClass.indexOf('.');
            return (dot < 0 ? deviceClass : deviceClass.substring(0, dot)) + dimension;
        }
        return resource.substring(resource.lastIndexOf('/') + 1);
    }
}
