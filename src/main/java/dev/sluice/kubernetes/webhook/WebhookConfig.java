package dev.sluice.kubernetes.webhook;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.List;

/** {@code sluice.kubernetes.webhook.*}: how the API server asks about Jobs. */
@ConfigMapping(prefix = "sluice.kubernetes.webhook")
public interface WebhookConfig {
    /** Off where nothing in the cluster points here, as when one only looks from outside. */
    @WithDefault("false")
    boolean enabled();

    @WithDefault("9443")
    int port();

    @WithDefault("0.0.0.0")
    String host();

    /** Names or addresses by which the API server calls; the certificate is made out to them. */
    @WithDefault("sluice-webhook.sluice.svc")
    List<String> names();

    /** Where the certificate is kept. */
    @WithDefault("sluice")
    String namespace();

    @WithDefault("sluice-webhook-certificate")
    String secret();

    /** The name of both webhook configurations, whose CA bundle is kept up to date. */
    @WithDefault("sluice")
    String configuration();
}
