package dev.sluice.testkit.controlplane;

import static dev.sluice.testkit.controlplane.FakeNode.aNode;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lets the service under test run on a control plane of its own, with one node of eight GPUs; told by a system property. */
public class ControlPlaneTestResource implements QuarkusTestResourceLifecycleManager {
    public static final String KUBECONFIG = "sluice.test.kubeconfig";

    private @Nullable ControlPlane plane;
    private @Nullable FakeKubelet kubelet;

    @Override
    public Map<String, String> start() {
        ControlPlane started = ControlPlane.start();
        aNode("gpu-1").with("nvidia.com/gpu", "8").addTo(started.client());
        kubelet = new FakeKubelet(started.client());
        plane = started;
        return Map.of(
                "sluice.cluster",
                "kubernetes",
                "sluice.kubernetes.kubeconfig",
                started.kubeconfig(ControlPlane.SLUICE).toString(),
                KUBECONFIG,
                started.kubeconfig(ControlPlane.TESTER).toString());
    }

    @Override
    public void stop() {
        if (kubelet != null) {
            kubelet.close();
        }
        if (plane != null) {
            plane.close();
        }
    }
}
