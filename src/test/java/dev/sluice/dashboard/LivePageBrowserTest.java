package dev.sluice.dashboard;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.StopPolicy;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationCommands;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.scheduling.WorkloadCommands;
import dev.sluice.testkit.Chromium;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.OwnDatabase;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A real browser looks at the page while things happen. */
@QuarkusTest
@TestProfile(OwnDatabase.class)
class LivePageBrowserTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    ConfigurationCommands configuration;

    @Inject
    WorkloadCommands workloads;

    private final List<WorkloadId> submitted = new ArrayList<>();

    @AfterEach
    void leave_nothing_behind() {
        submitted.forEach(workload -> workloads.cancel(workload, "tester"));
        configuration.edit(
                "tester",
                stored -> List.of(
                        new ConfigurationChange.Delete(ConfigurationKind.LOCAL_QUEUE, "watched/watched"),
                        new ConfigurationChange.Delete(ConfigurationKind.CLUSTER_QUEUE, "watched"),
                        new ConfigurationChange.Delete(ConfigurationKind.RESOURCE_FLAVOR, "watched-flavor")));
    }

    @Test
    void the_page_follows_an_admission_and_tells_why_the_next_one_waits_without_being_loaded_again() {
        configure();
        try (Chromium browser = Chromium.start()) {
            browser.open(RestAssured.baseURI + ":" + RestAssured.port + "/");
            await("the stream to be open")
                    .atMost(SOON)
                    .until(() ->
                            browser.evaluate("document.body.dataset.connection").equals("live"));
            browser.evaluate("window.loadedOnce = 'yes'");
            assertThat(row(browser)).contains("0 admitted");

            submit("seen-first");
            await("the page to show the admission").atMost(SOON).untilAsserted(() -> {
                assertThat(row(browser)).contains("1 admitted").contains("2 GPUs of its 2");
                assertThat(browser.text()).contains("seen-first of watched starts on 2 GPUs.");
            });

            submit("seen-second");
            await("the page to say why the second waits")
                    .atMost(SOON)
                    .untilAsserted(() -> assertThat(browser.text())
                            .contains(
                                    "Needs 2 GPUs; queue watched can get 0 now: nominal 2, used 2; it is in no cohort,"
                                            + " so it cannot borrow."));
            assertThat(browser.evaluate("window.loadedOnce")).isEqualTo("yes");
        }
    }

    @Test
    void a_browser_without_a_stream_gets_the_same_parts_by_asking() {
        configure();
        assertThat(given().get("/live/fragments")
                        .then()
                        .statusCode(200)
                        .extract()
                        .asString())
                .contains("<template id=\"new-quotas\">")
                .contains("watched");
    }

    /** The quota row of the test's queue, as a person reads it. */
    private static String row(Chromium browser) {
        return browser.evaluate("[...document.querySelectorAll('table.quotas tbody tr')]"
                        + ".filter(row => row.innerText.includes('watched')).map(row => row.innerText).join('')")
                .replaceAll("\\s+", " ");
    }

    private void configure() {
        ClusterQueue queue = new QueueBuilder("watched", null)
                .quota("watched-flavor", ClusterBuilder.GPU, "2")
                .build();
        configuration.edit(
                "tester",
                stored -> List.of(
                        new ConfigurationChange.PutResourceFlavor(
                                new ResourceFlavor("watched-flavor", Map.of(), List.of(), List.of(), null)),
                        new ConfigurationChange.PutClusterQueue(queue),
                        new ConfigurationChange.PutLocalQueue(
                                new LocalQueue("watched", "watched", "watched", StopPolicy.NONE, Quantity.of(1)))));
    }

    private void submit(String name) {
        SubmissionResult result = workloads
                .submit(List.of(new Submission(
                        new WorkloadId(UUID.randomUUID().toString()),
                        name,
                        "watched",
                        "watched",
                        null,
                        0,
                        List.of(PodSet.of("main", 1, Map.of(ClusterBuilder.GPU, 2L))),
                        null,
                        null,
                        null,
                        "tester",
                        null,
                        name)))
                .getFirst();
        assertThat(result)
                .isInstanceOfSatisfying(
                        SubmissionResult.Accepted.class,
                        accepted -> submitted.add(accepted.workload().id()));
    }
}
