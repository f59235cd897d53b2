package dev.sluice.kubernetes.webhook;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one certificate for all replicas in a Secret, renews it in time, and keeps the CA bundle of both webhook configurations in
 * step. Whichever replica notices first renews; the others find it at their next look.
 */
final class CertificateKeeper implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(CertificateKeeper.class.getName());
    private static final long LOOK_EVERY_SECONDS = 10;
    private static final long RETRY_SECONDS = 2;
    private static final int CONFLICT = 409;

    private final KubernetesClient client;
    private final WebhookConfig config;
    private final InstantSource clock;
    private final Consumer<Certificates> present;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("sluice-certificate").daemon().factory());
    private @Nullable Certificates presented;
    private @Nullable ScheduledFuture<?> next;
    private @Nullable String trouble;

    /** @param present called with the first certificate, and again with each that follows */
    CertificateKeeper(
            KubernetesClient client, WebhookConfig config, InstantSource clock, Consumer<Certificates> present) {
        this.client = client;
        this.config = config;
        this.clock = clock;
        this.present = present;
    }

    void start() {
        next = timer.schedule(this::lookAndGoOn, 0, TimeUnit.SECONDS);
    }

    private void lookAndGoOn() {
        boolean looked = false;
        try {
            look();
            looked = true;
            trouble = null;
        } catch (KubernetesClientException away) {
            // The same trouble is said once.
            if (!String.valueOf(away.getMessage()).equals(trouble)) {
                trouble = String.valueOf(away.getMessage());
                LOG.warning(() -> "the webhook's certificate cannot be looked after now: " + trouble);
            }
        } catch (RuntimeException bug) {
            LOG.log(Level.SEVERE, "the webhook's certificate could not be looked after", bug);
        }
        next = timer.schedule(this::lookAndGoOn, looked ? LOOK_EVERY_SECONDS : RETRY_SECONDS, TimeUnit.SECONDS);
    }

    /** One look: what has to be done about the Secret, the server and the two bundles is done. */
    void look() {
        Certificates current = stored().orElseGet(this::create);
        if (current.wantsRenewal(config.names(), clock.instant())) {
            current = renew();
        }
        if (!current.equals(presented)) {
            present.accept(current);
            presented = current;
            Certificates shown = current;
            LOG.info(() -> "the webhook's certificate is good until " + shown.end());
        }
        bundle(current.authorities());
    }

    private Optional<Certificates> stored() {
        return Optional.ofNullable(secret()).map(CertificateKeeper::read);
    }

    private @Nullable Secret secret() {
        return client.secrets()
                .inNamespace(config.namespace())
                .withName(config.secret())
                .get();
    }

    private Certificates create() {
        Certificates made = Certificates.issue(config.names(), clock.instant());
        try {
            client.secrets()
                    .inNamespace(config.namespace())
                    .resource(body(made, null))
                    .create();
            return made;
        } catch (KubernetesClientException failed) {
            if (failed.getCode() == CONFLICT) {
                return stored().orElseThrow(() -> failed);
            }
            throw failed;
        }
    }

    private Certificates renew() {
        Secret secret = secret();
        if (secret == null) {
            return create();
        }
        Certificates stored = read(secret);
        if (!stored.wantsRenewal(config.names(), clock.instant())) {
            return stored;
        }
        Certificates renewed = stored.renewed(config.names(), clock.instant());
        try {
            client.secrets()
                    .inNamespace(config.namespace())
                    .resource(body(renewed, secret.getMetadata().getResourceVersion()))
                    .update();
            return renewed;
        } catch (KubernetesClientException failed) {
            if (failed.getCode() == CONFLICT) {
                return stored().orElseThrow(() -> failed);
            }
            throw failed;
        }
    }

    /** Somebody else's Secret of that name, or a damaged one, is not overwritten. */
    private static Certificates read(Secret secret) {
        return new Certificates(
                text(secret, "ca.crt"), text(secret, "ca.key"), text(secret, "tls.crt"), text(secret, "tls.key"));
    }

    private static String text(Secret secret, String key) {
        String encoded = secret.getData() == null ? null : secret.getData().get(key);
        if (encoded == null) {
            throw new IllegalStateException("Secret " + secret.getMetadata().getNamespace() + "/"
                    + secret.getMetadata().getName() + " has no " + key + "; delete it, and it is made anew");
        }
        return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    }

    private Secret body(Certificates certificates, @Nullable String version) {
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace(config.namespace())
                .withName(config.secret())
                .withResourceVersion(version)
                .endMetadata()
                .withType("kubernetes.io/tls")
                .withStringData(Map.of(
                        "ca.crt",
                        certificates.authorities(),
                        "ca.key",
                        certificates.authorityKey(),
                        "tls.crt",
                        certificates.certificate(),
                        "tls.key",
                        certificates.key()))
                .build();
    }

    private void bundle(String authorities) {
        String bundle = Base64.getEncoder().encodeToString(authorities.getBytes(StandardCharsets.UTF_8));
        var configurations = client.admissionRegistration().v1();
        MutatingWebhookConfiguration mutating = configurations
                .mutatingWebhookConfigurations()
                .withName(config.configuration())
                .get();
        if (mutating != null
                && mutating.getWebhooks().stream()
                        .anyMatch(hook -> !bundle.equals(hook.getClientConfig().getCaBundle()))) {
            mutating.getWebhooks().forEach(hook -> hook.getClientConfig().setCaBundle(bundle));
            client.resource(mutating).update();
        }
        ValidatingWebhookConfiguration validating = configurations
                .validatingWebhookConfigurations()
                .withName(config.configuration())
                .get();
        if (validating != null
                && validating.getWebhooks().stream()
                        .anyMatch(hook -> !bundle.equals(hook.getClientConfig().getCaBundle()))) {
            validating.getWebhooks().forEach(hook -> hook.getClientConfig().setCaBundle(bundle));
            client.resource(validating).update();
        }
    }

    @Override
    public void close() {
        if (next != null) {
            next.cancel(true);
        }
        timer.shutdownNow();
    }
}
