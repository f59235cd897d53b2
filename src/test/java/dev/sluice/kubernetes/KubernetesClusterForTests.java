package dev.sluice.kubernetes;

import dev.sluice.testkit.controlplane.ControlPlane;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The adapter as the product sets it up, on a control plane of the tests. */
public record KubernetesClusterForTests(Path file, Duration requestTimeout) implements KubernetesConfig {
    public KubernetesClusterForTests(ControlPlane plane) {
        this(plane.kubeconfig(ControlPlane.SLUICE), Duration.ofSeconds(5));
    }

    public KubernetesCluster started() {
        return KubernetesCluster.connect(this);
    }

    @Override
    public Optional<Path> kubeconfig() {
        return Optional.of(file);
    }

    @Override
    public boolean notices() {
        return true;
    }

    @Override
    public int workers() {
        return 4;
    }
}
