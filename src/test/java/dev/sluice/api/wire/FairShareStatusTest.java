package dev.sluice.api.wire;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.FairSharing;
import dev.sluice.admission.QuotaUsage;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.testkit.EngineStory;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Shares as REST answers them, with the objects that they are shares of. */
class FairShareStatusTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Configuration configuration = aCluster()
            .cohort(
                    "org",
                    org -> org.owns(own -> own.gpus(9))
                            .cohort(
                                    "east",
                                    east -> east.queue("a", 0)
                                            .queue("b", queue -> queue.gpus(0).weighs("0"))))
            .build();

    private JsonNode queue(AdmissionSettings settings, String name) {
        QuotaUsage usage = usage(settings);
        return JSON.valueToTree(ClusterQueueBody.of(
                Objects.requireNonNull(configuration.clusterQueues().get(name)),
                QueueStatusShape.of(
                        Objects.requireNonNull(usage.queues().get(name)),
                        usage.fairShares() == null
                                ? null
                                : usage.fairShares().queues().get(name))));
    }

    private QuotaUsage usage(AdmissionSettings settings) {
        EngineStory story = EngineStory.on(configuration, settings);
        story.submit(aWorkload("w").in("a").gpus(2), aWorkload("v").in("b").gpus(1));
        return story.engine().usage();
    }

    @Test
    void a_queue_tells_its_weighted_share_rounded_up_and_exactly() {
        JsonNode status = queue(AdmissionSettings.defaults().with(FairSharing.ON), "a")
                .path("status")
                .path("fairSharing");

        assertThat(status.path("weightedShare").longValue()).isEqualTo(223);
        assertThat(status.path("share").doubleValue()).isBetween(222.22, 222.23);
        assertThat(status.path("dominantResource").textValue()).isEqualTo("nvidia.com/gpu");
    }

    @Test
    void an_infinite_share_is_the_largest_number_as_in_kueue() {
        JsonNode status = queue(AdmissionSettings.defaults().with(FairSharing.ON), "b")
                .path("status")
                .path("fairSharing");

        assertThat(status.path("weightedShare").longValue()).isEqualTo(Long.MAX_VALUE);
        assertThat(status.has("share")).isFalse();
    }

    @Test
    void without_fair_sharing_no_share_is_told() {
        assertThat(queue(AdmissionSettings.defaults(), "a").path("status").has("fairSharing"))
                .isFalse();
    }

    @Test
    void a_cohort_tells_its_share_and_is_taken_back_as_it_was_answered() {
        QuotaUsage.FairShares shares = Objects.requireNonNull(
                usage(AdmissionSettings.defaults().with(FairSharing.ON)).fairShares());
        CohortBody body = CohortBody.of(
                Objects.requireNonNull(configuration.cohorts().get("east")),
                shares.cohorts().get("east"));
        JsonNode answered = JSON.valueToTree(body);

        assertThat(answered.path("status")
                        .path("fairSharing")
                        .path("weightedShare")
                        .longValue())
                .isEqualTo(334);
        assertThat(NativeDocuments.read(ConfigurationKind.COHORT, "east", answered))
                .isEqualTo(new ConfigurationChange.PutCohort(
                        Objects.requireNonNull(configuration.cohorts().get("east"))));
    }
}
