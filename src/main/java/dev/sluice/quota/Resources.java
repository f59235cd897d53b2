package dev.sluice.quota;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Names of what is counted: a plain resource, or {@code deviceclass/<class>[/<counter or capacity>]}. */
public final class Resources {
    public static final String CPU = "cpu";
    public static final String PODS = "pods";
    public static final String DEVICE_CLASS_PREFIX = "deviceclass/";

    private static final BigDecimal AMOUNT_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    private Resources() {}

    /** Whether amounts of it are milli-units; all other amounts are whole units. */
    public static boolean isCountedInMilli(String resource) {
        return resource.equals(CPU);
    }

    public static String ofDeviceClass(String deviceClass) {
        return DEVICE_CLASS_PREFIX + deviceClass;
    }

    public static boolean isDeviceClass(String resource) {
        return resource.startsWith(DEVICE_CLASS_PREFIX);
    }

    /**
     * Whether only whole numbers of it exist: devices and extended resources, and pods. A fraction of a byte or of a
     * milli-cpu rounds up instead.
     */
    public static boolean isWholeOnly(String resource) {
        boolean extended = resource.indexOf('/') > 0 && !resource.startsWith("kubernetes.io/");
        return extended || resource.equals(PODS);
    }

    /** What every node has and every pod takes: cpu, memory, ephemeral storage, huge pages, pods. */
    public static boolean isNative(String resource) {
        return resource.equals(CPU)
                || resource.equals(PODS)
                || resource.equals("memory")
                || resource.equals("ephemeral-storage")
                || resource.startsWith("hugepages-");
    }

    /** Why this cannot be an amount of the resource; null = it can. Completes "the value …". */
    public static @Nullable String ruleBrokenBy(String resource, Quantity amount) {
        if (amount.isNegative()) {
            return "must not be negative";
        }
        if (amount.value().compareTo(AMOUNT_MAX) > 0) {
            return "must be at most 9223372036854775807 (2^63 - 1)";
        }
        if (isWholeOnly(resource) && !amount.isWhole()) {
            return "must be a whole number: " + resource + " cannot be divided";
        }
        return null;
    }

    /**
     * An amount as Kubernetes writes it: {@code 1500m} or {@code 2} for cpu, {@code 4Gi} for whole powers of 1024 of
     * memory, a plain integer otherwise.
     */
    public static String format(String resource, long amount) {
        if (isCountedInMilli(resource)) {
            return amount % 1000 == 0 ? Long.toString(amount / 1000) : amount + "m";
        }
        if (resource.equals("memory") || resource.equals("ephemeral-storage") || resource.startsWith("hugepages-")) {
            return binary(amount);
        }
        return Long.toString(amount);
    }

    private static String binary(long amount) {
        String[] suffixes = {"Ei", "Pi", "Ti", "Gi", "Mi", "Ki"};
        for (int index = 0; index < suffixes.length; index++) {
            long unit = 1L << (10 * (suffixes.length - index));
            if (amount != 0 && amount % unit == 0) {
                return amount / unit + suffixes[index];
            }
        }
        return Long.toString(amount);
    }
}
