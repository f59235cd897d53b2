package dev.sluice.kubernetes.webhook;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.api.CurrentConfiguration;
import dev.sluice.api.ManifestSubmissions;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.ManifestIntake;
import dev.sluice.testkit.InMemoryStore;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.TestJob;
import dev.sluice.workload.QuotaCharge;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.vertx.core.Vertx;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The webhooks as `k8s/webhooks.yaml` registers them, asked by a real API server. */
@Tag("cluster")
class WebhooksOnKubernetesTest {
    private static final Configuration QUEUES = aCluster()
            .queue("main", queue -> queue.gpus(4))
            .localQueueIn("default", "main", "main")
            .localQueueIn("all", "default", "main")
            .build();
    private static final Set<WorkloadId> HOLDERS = ConcurrentHashMap.newKeySet();
    /** The first certificate was made so long ago that the next look renews it. */
    private static final Duration AGE = Duration.ofDays(65);

    private static final AtomicReference<Duration> BEHIND = new AtomicReference<>(AGE);

    private static ControlPlane plane;
    private static Vertx vertx;
    private static KubernetesClient alice;
    private static JobWebhook server;
    private static CertificateKeeper keeper;

    @BeforeAll
    static void start() throws IOException {
        plane = ControlPlane.start();
        alice = plane.client();
        vertx = Vertx.vertx();
        InMemoryStore store = new InMemoryStore(InstantSource.system());
        store.edit("tester", stored -> LocalService.putting(QUEUES));
        CurrentConfiguration configuration = new CurrentConfiguration(store);
        ManifestIntake manifests = new ManifestSubmissions(configuration, QuotaCharge.PLAIN);
        WebhookConfig config = new TestConfig();
        server = new JobWebhook(
                vertx,
                config,
                () -> ControlPlane.SLUICE,
                new JobDefaults(configuration::recent),
                new JobRules(manifests, HOLDERS::contains));
        keeper = new CertificateKeeper(
                plane.clientOf(ControlPlane.SLUICE), config, WebhooksOnKubernetesTest::clock, server::present);
        keeper.look();
        RegisteredWebhooks.register(alice, server.port());
        keeper.look();
        namespace("all", "sluice.dev/manage", "all");
        namespace("elsewhere", "team", "x");
        // The API server learns of new webhooks by watching.
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            Job probe = alice.resource(aJob("probe").queue("main").build()).create();
            alice.resource(probe).delete();
            return probe.getSpec().getSuspend();
        });
    }

    @AfterAll
    static void stop() {
        server.close();
        keeper.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
        plane.close();
    }

    @AfterEach
    void clean() {
        HOLDERS.clear();
        List.of("default", "all", "elsewhere")
                .forEach(each -> alice.batch().v1().jobs().inNamespace(each).delete());
    }

    @Test
    void a_job_that_names_a_queue_is_stored_held_and_fenced_whichever_label_it_has() {
        Job ours = create(aJob("ours").queue("main"));
        Job kueues = create(aJob("kueues").kueueQueue("main"));

        assertThat(List.of(ours, kueues)).allSatisfy(job -> {
            assertThat(job.getSpec().getSuspend()).isTrue();
            assertThat(job.getMetadata().getAnnotations()).containsEntry("sluice.dev/fence", "1");
        });
    }

    @Test
    void a_job_without_a_queue_is_not_touched() {
        Job own = create(aJob("own"));

        assertThat(own.getSpec().getSuspend()).isFalse();
        assertThat(own.getMetadata().getAnnotations()).isNullOrEmpty();
    }

    @Test
    void where_every_job_is_managed_the_default_queue_is_filled_in() {
        Job job = create(aJob("unnamed").in("all"));

        assertThat(job.getSpec().getSuspend()).isTrue();
        assertThat(job.getMetadata().getLabels()).containsEntry("sluice.dev/queue-name", "default");
    }

    @Test
    void wh_11_what_could_never_be_queued_is_refused_at_once_with_the_way_out() {
        assertRefused(
                () -> create(aJob("typo").queue("mian")),
                "metadata.labels.sluice.dev/queue-name (mian)",
                "did you mean main?");
        assertRefused(() -> create(aJob("wrong").queue("main").priorityClass("no-such-class")), "no-such-class");
        assertThat(alice.batch().v1().jobs().inNamespace("default").list().getItems())
                .isEmpty();
    }

    @Test
    void lc_10_the_queue_of_a_job_that_holds_quota_can_be_neither_removed_nor_changed() {
        Job job = create(aJob("reserved").queue("main"));
        HOLDERS.add(new WorkloadId(job.getMetadata().getUid()));

        assertRefused(
                () -> patch("reserved", "remove", "/metadata/labels/sluice.dev~1queue-name", null), "holds quota");
        assertRefused(
                () -> patch("reserved", "replace", "/metadata/labels/sluice.dev~1queue-name", "\"other\""),
                "holds quota");
    }

    @Test
    void nobody_but_sluice_starts_a_job_or_takes_its_fence() {
        create(aJob("held").queue("main"));

        assertRefused(() -> patch("held", "replace", "/spec/suspend", "false"), "spec.suspend", "is set by Sluice");
        assertRefused(
                () -> patch("held", "remove", "/metadata/annotations/sluice.dev~1fence", null), "is kept by Sluice");
        try (KubernetesClient sluice = plane.clientOf(ControlPlane.SLUICE)) {
            sluice.batch()
                    .v1()
                    .jobs()
                    .inNamespace("default")
                    .withName("held")
                    .patch(
                            PatchContext.of(PatchType.JSON),
                            "[{\"op\": \"replace\", \"path\": \"/spec/suspend\", \"value\": false}]");
        }
    }

    @Test
    void wh_05_a_managed_job_with_a_finalizer_is_deleted_without_being_asked_about() {
        TestJob leaving = aJob("leaving").queue("main");
        Job job = leaving.build();
        job.getMetadata().setFinalizers(List.of("example.com/own"));
        Job created = alice.resource(job).create();
        HOLDERS.add(new WorkloadId(created.getMetadata().getUid()));
        alice.resource(created).delete();

        patch("leaving", "remove", "/metadata/finalizers", null);

        await().until(() -> alice.resource(created).get() == null);
    }

    @Test
    void wh_08_what_is_no_question_gets_a_clear_answer_and_never_a_fault() throws Exception {
        assertThat(post(JobWebhook.RULES, "{"))
                .extracting(HttpResponse::statusCode, HttpResponse::body)
                .satisfies(answer -> assertThat(answer.getFirst()).isEqualTo(400))
                .satisfies(answer -> assertThat(answer.getLast().toString()).contains("not JSON"));
        assertThat(post(JobWebhook.RULES, "").statusCode()).isEqualTo(400);
        assertThat(post(JobWebhook.DEFAULTS, "{\"request\": {}}").body()).contains("request.uid is missing");
        assertThat(post(JobWebhook.DEFAULTS, """
                        {"request": {"uid": "1", "kind": {"group": "apps", "kind": "Deployment"}, "object": {}}}""").body()).contains("apps/Deployment");
        assertThat(post("/elsewhere", "{}").statusCode()).isEqualTo(404);
    }

    @Test
    void the_certificate_renews_itself_and_the_api_server_goes_on_asking() {
        String before = stored("tls.crt");
        BEHIND.set(Duration.ZERO);

        keeper.look();

        assertThat(stored("tls.crt")).isNotEqualTo(before);
        assertThat(create(aJob("after-renewal").queue("main")).getSpec().getSuspend())
                .isTrue();
    }

    @Test
    void wh_01_without_the_webhook_jobs_are_stored_as_they_are() {
        int port = server.port();
        server.close();
        try {
            assertThat(create(aJob("unmanaged")).getSpec().getSuspend()).isFalse();
            assertThat(create(aJob("labelled").queue("main")).getSpec().getSuspend())
                    .isFalse();
        } finally {
            TestConfig.port = port;
            new CertificateKeeper(
                            plane.clientOf(ControlPlane.SLUICE),
                            new TestConfig(),
                            WebhooksOnKubernetesTest::clock,
                            server::present)
                    .look();
        }
        assertThat(create(aJob("again").queue("main")).getSpec().getSuspend()).isTrue();
    }

    private static void namespace(String name, String label, String value) {
        alice.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .addToLabels(label, value)
                        .endMetadata()
                        .build())
                .create();
    }

    private static Job create(TestJob job) {
        return alice.resource(job.build()).create();
    }

    private static void patch(String job, String operation, String path, @Nullable String value) {
        alice.batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName(job)
                .patch(
                        PatchContext.of(PatchType.JSON),
                        "[{\"op\": \"" + operation + "\", \"path\": \"" + path + "\""
                                + (value == null ? "" : ", \"value\": " + value) + "}]");
    }

    private static void assertRefused(ThrowingCallable write, CharSequence... words) {
        assertThatThrownBy(write).isInstanceOfSatisfying(KubernetesClientException.class, refused -> {
            assertThat(refused.getCode()).isEqualTo(422);
            assertThat(refused.getMessage()).contains(words);
        });
    }

    private static Instant clock() {
        return Instant.now().minus(BEHIND.get());
    }

    private static String stored(String key) {
        String encoded = plane.client()
                .secrets()
                .inNamespace("default")
                .withName("webhook-certificate")
                .get()
                .getData()
                .get(key);
        return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    }

    private static HttpResponse<String> post(String path, String body)
            throws IOException, InterruptedException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        String authority = stored("ca.crt");
        trusted.setCertificateEntry(
                "ca",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(authority.getBytes(StandardCharsets.UTF_8))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        try (HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.port() + path))
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    /** Any free port, by address. */
    private static final class TestConfig implements WebhookConfig {
        static int port;

        @Override
        public boolean enabled() {
            return true;
        }

        @Override
        public int port() {
            return port;
        }

        @Override
        public String host() {
            return "127.0.0.1";
        }

        @Override
        public List<String> names() {
            return List.of("127.0.0.1");
        }

        @Override
        public String namespace() {
            return "default";
        }

        @Override
        public String secret() {
            return "webhook-certificate";
        }

        @Override
        public String configuration() {
            return "sluice";
        }
    }
}
