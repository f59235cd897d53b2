package dev.sluice.platform;

import dev.sluice.api.CurrentConfiguration;
import dev.sluice.fleet.FleetConfig;
import dev.sluice.fleet.RemoteFleet;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.kubernetes.KubernetesCluster;
import dev.sluice.kubernetes.KubernetesConfig;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.ManifestIntake;
import dev.sluice.scheduling.ManifestTrial;
import dev.sluice.scheduling.PodRules;
import dev.sluice.scheduling.WorkloadCommands;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Chooses what runs the pods, by {@code sluice.cluster}. */
@Singleton
public class ClusterWiring {
    enum Choice {
        /** The simulated fleet, in this process or another; nothing of Kubernetes is touched. */
        SIMULATED,
        KUBERNETES
    }

    @Produces
    @Singleton
    Cluster cluster(
            @ConfigProperty(name = "sluice.cluster", defaultValue = "simulated") Choice choice,
            FleetConfig fleet,
            KubernetesConfig kubernetes) {
        return switch (choice) {
            case SIMULATED ->
                fleet.url().<Cluster>map(RemoteFleet::new).orElseGet(() -> SimulatedFleet.started(fleet.settings()));
            case KUBERNETES -> KubernetesCluster.connect(kubernetes);
        };
    }

    @Produces
    @Singleton
    PodRules podRules(Cluster cluster) {
        return cluster instanceof KubernetesCluster kubernetes ? kubernetes.podRules() : PodRules.NONE;
    }

    @Produces
    @Singleton
    ManifestTrial manifestTrial(Cluster cluster) {
        return cluster instanceof KubernetesCluster kubernetes ? kubernetes.trial() : ManifestTrial.NONE;
    }

    /** After the intake is there, which is where Jobs of the cluster go. */
    void start(
            @Observes @Priority(Interceptor.Priority.APPLICATION + 200) StartupEvent started,
            Cluster cluster,
            ManifestIntake manifests,
            WorkloadReader workloads,
            WorkloadCommands commands,
            KubernetesConfig config,
            CurrentConfiguration configuration) {
        if (cluster instanceof KubernetesCluster kubernetes) {
            kubernetes.takeIn(manifests, workloads, commands);
            if (config.notices()) {
                kubernetes.giveNotice(configuration::recent, workloads);
            }
        }
    }

    void close(@Disposes Cluster cluster) throws Exception {
        if (cluster instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }
}
