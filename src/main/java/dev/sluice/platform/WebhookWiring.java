package dev.sluice.platform;

import dev.sluice.api.CurrentConfiguration;
import dev.sluice.kubernetes.KubernetesCluster;
import dev.sluice.kubernetes.webhook.WebhookConfig;
import dev.sluice.kubernetes.webhook.Webhooks;
import dev.sluice.overview.EngineReader;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.ManifestIntake;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Starts the webhooks where there is a cluster that asks. */
@Singleton
public class WebhookWiring {
    private @Nullable Webhooks webhooks;

    void start(
            @Observes @Priority(Interceptor.Priority.APPLICATION + 300) StartupEvent started,
            WebhookConfig config,
            Cluster cluster,
            Vertx vertx,
            CurrentConfiguration configuration,
            ManifestIntake manifests,
            EngineReader engine) {
        if (config.enabled() && cluster instanceof KubernetesCluster kubernetes) {
            Webhooks running = new Webhooks(
                    kubernetes, config, vertx, configuration::recent, manifests, engine, InstantSource.system());
            running.start();
            webhooks = running;
        }
    }

    void stop(@Observes ShutdownEvent stopping) {
        if (webhooks != null) {
            webhooks.close();
        }
    }
}
