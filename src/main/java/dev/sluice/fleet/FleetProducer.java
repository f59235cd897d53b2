package dev.sluice.fleet;

import dev.sluice.scheduling.Cluster;
import io.quarkus.arc.DefaultBean;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Makes the simulated fleet the cluster of the service, unless an adapter of a real one is there. */
@Singleton
class FleetProducer {
    @Produces
    @Singleton
    @DefaultBean
    Cluster cluster(FleetConfig config) {
        return config.url().<Cluster>map(RemoteFleet::new).orElseGet(() -> SimulatedFleet.started(config.settings()));
    }

    void close(@Disposes Cluster cluster) {
        switch (cluster) {
            case SimulatedFleet fleet -> fleet.close();
            case RemoteFleet fleet -> fleet.close();
            default -> throw new IllegalStateException("not a cluster of this producer: " + cluster);
        }
    }
}
