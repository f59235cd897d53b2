package dev.sluice.quota;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which extended resource is served by which DeviceClass, so that a pod that asks for {@code nvidia.com/gpu} and one that
 * claims devices of the class draw from one line.
 *
 * @param classes extended resource name to class; where two classes have one name, the first by name serves it (Kubernetes
 *     prefers the later created one, which is not known here)
 */
public record DeviceResources(SortedMap<String, String> classes) {
    /** Every class is also an extended resource under this prefix, as in Kubernetes. */
    private static final String IMPLICIT_PREFIX = "deviceclass.resource.kubernetes.io/";

    public DeviceResources {
        classes = Collections.unmodifiableSortedMap(new TreeMap<>(classes));
    }

    public static DeviceResources of(Configuration configuration) {
        SortedMap<String, String> classes = new TreeMap<>();
        configuration.deviceClasses().forEach((name, deviceClass) -> {
            if (deviceClass.extendedResourceName() != null) {
                classes.putIfAbsent(deviceClass.extendedResourceName(), name);
            }
        });
        return new DeviceResources(classes);
    }

    /** The quota line that a request for this resource draws from. */
    public String quotaKey(String resource) {
        if (resource.startsWith(IMPLICIT_PREFIX)) {
            return Resources.ofDeviceClass(resource.substring(IMPLICIT_PREFIX.length()));
        }
        String deviceClass = classes.get(resource);
        return deviceClass == null ? resource : Resources.ofDeviceClass(deviceClass);
    }
}
