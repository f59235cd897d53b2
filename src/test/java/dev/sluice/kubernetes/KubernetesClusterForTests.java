package dev.sluice.kubernetes;

import dev.sluice.testkit.controlplane.ControlPlane;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The adapter as the product sets it up, on a control plane of the tests. */
public record KubernetesClusterForTests(ControlPlane plane) implements KubernetesConfig {
    public KubernetesCluster started() {
        return KubernetesCluster.connect(this);
    }

    @Override
    public Optional<Path> kubeconfig() {
        return Optional.of(plane.kubeconfig(ControlPlane.SLUICE));
    }

    @Override
    public int workers() {
        return 4;
    }

    @Override
    public Duration requestTimeout() {
        return Duration.ofSeconds(5);
    }
}
