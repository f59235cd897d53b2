package dev.sluice.testkit.controlplane;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;

/**
 * What a DRA driver would publish of the devices of one node, written by hand (resource.k8s.io/v1): the real scheduler allocates them
 * to claims. No driver prepares anything; the fake kubelet runs pods without.
 */
public final class FakeDevices {
    private final String driver;
    private final String node;
    private final List<String> devices = new ArrayList<>();
    private int sliceCount = 1;

    private FakeDevices(String driver, String node) {
        this.driver = driver;
        this.node = node;
    }

    /** @param node whose pool they are, and by whose name the pool goes */
    public static FakeDevices devicesOf(String driver, String node) {
        return new FakeDevices(driver, node);
    }

    /** A class of every device of a driver of which the CEL expression holds; {@code true} = all. */
    public static void createClass(KubernetesClient client, String name, String driver, String expression) {
        client.resource("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: %s}
                spec:
                  selectors:
                  - cel: {expression: 'device.driver == "%s" && (%s)'}
                """.formatted(name, driver, expression)).create();
    }

    /** Claims made of it ask for so many devices of a class; pods name it in {@code resourceClaims}. */
    public static void createClaimTemplate(
            KubernetesClient client, String namespace, String name, String deviceClass, int count) {
        client.resource("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: %s, namespace: %s}
                spec:
                  spec:
                    devices:
                      requests:
                      - name: devices
                        exactly: {deviceClassName: %s, count: %d}
                """.formatted(name, namespace, deviceClass, count)).create();
    }

    /**
     * @param attributes YAML of their attributes, such as {@code model: {string: a100}}
     * @param capacity YAML of their capacity, such as {@code memory: {value: 80Gi}}
     */
    public FakeDevices with(int count, String attributes, String capacity) {
        for (int number = 0; number < count; number++) {
            devices.add("{name: device-%d, attributes: {%s}, capacity: {%s}}"
                    .formatted(devices.size(), attributes, capacity));
        }
        return this;
    }

    /** How many slices the pool is said to have; with more than the one that is published it is incomplete, and nothing of it is used. */
    public FakeDevices inSlices(int count) {
        sliceCount = count;
        return this;
    }

    public void addTo(KubernetesClient client) {
        client.resource("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %s-%s}
                spec:
                  driver: %s
                  nodeName: %s
                  pool: {name: %s, generation: 1, resourceSliceCount: %d}
                  devices: [%s]
                """.formatted(node, driver, driver, node, node, sliceCount, String.join(", ", devices)))
                .create();
    }
}
