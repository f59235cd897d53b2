package dev.sluice.quota;

/** Names of what is counted: a plain resource, or {@code deviceclass/<class>[/<counter or capacity>]}. */
public final class Resources {
    public static final String CPU = "cpu";
    public static final String PODS = "pods";
    public static final String DEVICE_CLASS_PREFIX = "deviceclass/";

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
