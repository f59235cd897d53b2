package dev.sluice.kubernetes;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** {@code sluice.kubernetes.*}: how the cluster is reached. */
@ConfigMapping(prefix = "sluice.kubernetes")
public interface KubernetesConfig {
    /** None = as the pod's service account, or else by what {@code KUBECONFIG} or {@code ~/.kube/config} says. */
    Optional<Path> kubeconfig();

    /** Jobs that are worked on at the same time; each waits for one answer of the API server. */
    @WithDefault("8")
    int workers();

    /** Whether admissions and evictions are told on the Jobs, by an event and a condition each. */
    @WithDefault("true")
    boolean notices();

    /** After which a request to the API server counts as lost. */
    @WithDefault("10s")
    Duration requestTimeout();
}
