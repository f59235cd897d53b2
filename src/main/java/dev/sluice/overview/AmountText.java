package dev.sluice.overview;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.quota.Resources;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Amounts in people's words: {@code 2 GPUs}, {@code 0.5 CPUs}, {@code 64Gi memory}. A resource is called by the shortest name that
 * no other configured resource shares.
 */
public final class AmountText {
    private static final BigDecimal KIBI = BigDecimal.valueOf(1024);
    private static final BigDecimal GROUPED_FROM = BigDecimal.valueOf(1_000);

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

    /**
     * Without the unit of the line; cpu as a decimal number of cores, memory in its largest whole unit. Only where that takes five
     * digits or more is it rounded, to a tenth of the next unit.
     */
    public String number(String resource, long amount) {
        if (Resources.isCountedInMilli(resource)) {
            return grouped(BigDecimal.valueOf(amount, 3).stripTrailingZeros());
        }
        String exact = Resources.format(resource, amount);
        if (!exact.endsWith("i")) {
            return isBytes(resource) ? bytes(amount) : grouped(new BigDecimal(exact));
        }
        return exact.length() <= 6 ? exact : bytes(amount);
    }

    private static boolean isBytes(String resource) {
        return resource.equals("memory") || resource.equals("ephemeral-storage") || resource.startsWith("hugepages-");
    }

    private static String bytes(long amount) {
        String[] suffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
        BigDecimal value = BigDecimal.valueOf(amount);
        int index = 0;
        while (value.compareTo(KIBI) >= 0 && index < suffixes.length - 1) {
            value = value.divide(KIBI, MathContext.DECIMAL64);
            index++;
        }
        return grouped(value.setScale(1, RoundingMode.HALF_UP).stripTrailingZeros()) + suffixes[index];
    }

    /** Thousands are set apart. */
    private static String grouped(BigDecimal value) {
        return value.abs().compareTo(GROUPED_FROM) < 0
                ? value.toPlainString()
                : String.format(Locale.ROOT, "%,." + Math.max(0, value.scale()) + "f", value);
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
