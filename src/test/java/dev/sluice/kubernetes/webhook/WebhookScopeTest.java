package dev.sluice.kubernetes.webhook;

import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.FakeKubelet;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The network to the webhooks is blocked: they are called and never answer. */
@Tag("cluster")
class WebhookScopeTest {
    private static ServerSocket silent;
    private static ControlPlane plane;
    private static FakeKubelet kubelet;

    @BeforeAll
    static void start() throws IOException {
        // Connections are taken by the kernel, and nothing is ever said on them.
        silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        plane = ControlPlane.start();
        aNode("node-1").addTo(plane.client());
        kubelet = new FakeKubelet(plane.client());
        RegisteredWebhooks.register(plane.client(), silent.getLocalPort());
        plane.createNamespace("elsewhere");
        // The API server learns of new webhooks by watching: from then on a Job that they are asked about takes its
        // time.
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            long before = System.nanoTime();
            Job probe =
                    plane.client().resource(aJob("probe").queue("main").build()).create();
            plane.client().resource(probe).delete();
            return System.nanoTime() - before > Duration.ofSeconds(2).toNanos();
        });
    }

    @AfterAll
    static void stop() throws IOException {
        kubelet.close();
        plane.close();
        silent.close();
    }

    @Test
    void wh_02_a_deployment_of_another_namespace_gets_its_pods() {
        plane.client()
                .resource(new DeploymentBuilder()
                        .withNewMetadata()
                        .withName("web")
                        .withNamespace("elsewhere")
                        .endMetadata()
                        .withNewSpec()
                        .withReplicas(3)
                        .withNewSelector()
                        .withMatchLabels(Map.of("app", "web"))
                        .endSelector()
                        .withNewTemplate()
                        .withNewMetadata()
                        .withLabels(Map.of("app", "web"))
                        .endMetadata()
                        .withNewSpec()
                        .addNewContainer()
                        .withName("web")
                        .withImage("example.com/web")
                        .endContainer()
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(plane.client()
                                .pods()
                                .inNamespace("elsewhere")
                                .list()
                                .getItems())
                        .hasSize(3)
                        .allSatisfy(
                                pod -> assertThat(pod.getStatus().getPhase()).isEqualTo("Running")));
    }

    @Test
    void wh_02_jobs_that_name_no_queue_are_stored_without_anybody_being_asked() {
        for (String namespace : List.of("default", "elsewhere")) {
            long before = System.nanoTime();
            Job own = plane.client().resource(aJob("own").in(namespace).build()).create();

            assertThat(own.getSpec().getSuspend()).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - before))
                    .as("whoever is asked never answers, and is waited for")
                    .isLessThan(Duration.ofSeconds(2));
        }
        assertThat(plane.client()
                        .admissionRegistration()
                        .v1()
                        .mutatingWebhookConfigurations()
                        .withName("sluice")
                        .get()
                        .getWebhooks())
                .allSatisfy(webhook -> {
                    assertThat(webhook.getTimeoutSeconds()).isLessThanOrEqualTo(3);
                    assertThat(webhook.getRules())
                            .allSatisfy(rule -> assertThat(rule.getResources()).containsExactly("jobs"));
                });
    }

    @Test
    void wh_02_a_job_that_names_a_queue_is_stored_after_a_short_wait() {
        Job labelled =
                plane.client().resource(aJob("labelled").queue("main").build()).create();

        assertThat(labelled.getMetadata().getUid()).isNotNull();
    }
}
