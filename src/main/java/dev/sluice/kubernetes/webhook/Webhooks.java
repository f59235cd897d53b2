package dev.sluice.kubernetes.webhook;

import dev.sluice.kubernetes.KubernetesCluster;
import dev.sluice.overview.EngineReader;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.ManifestIntake;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The webhooks of one replica: started together, stopped together. */
public final class Webhooks implements AutoCloseable {
    private final KubernetesClient client;
    private final JobWebhook server;
    private final CertificateKeeper keeper;
    private volatile @Nullable String ownUser;

    /** @param configuration as this process last saw it, from memory */
    public Webhooks(
            KubernetesCluster cluster,
            WebhookConfig config,
            Vertx vertx,
            Supplier<Configuration> configuration,
            ManifestIntake manifests,
            EngineReader engine,
            InstantSource clock) {
        this.client = cluster.client();
        this.server = new JobWebhook(
                vertx,
                config,
                () -> ownUser,
                new JobDefaults(configuration),
                new JobRules(manifests, workload -> holdsQuota(engine, workload)));
        this.keeper = new CertificateKeeper(client, config, clock, this::present);
    }

    public void start() {
        keeper.start();
    }

    private void present(Certificates certificates) {
        if (ownUser == null) {
            SelfSubjectReview self =
                    client.resource(new SelfSubjectReviewBuilder().build()).create();
            ownUser = self.getStatus().getUserInfo().getUsername();
        }
        server.present(certificates);
    }

    private static boolean holdsQuota(EngineReader engine, WorkloadId workload) {
        return engine.ask((one, now) -> one.status(workload)
                .filter(status -> status.assignment() != null)
                .isPresent());
    }

    @Override
    public void close() {
        keeper.close();
        server.close();
    }
}
