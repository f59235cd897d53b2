package dev.sluice.api.wire;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.sluice.admission.LocalQueueUsage;
import dev.sluice.quota.LocalQueue;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationKind;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a LocalQueue used of late, as Kueue's status tells it. */
class LocalQueueStatusTest {
    private static final ObjectMapper JSON = new ObjectMapper().registerModule(new JavaTimeModule());

    private final LocalQueue queue = Objects.requireNonNull(
            aCluster().queue("q", 4).build().localQueues().get("default/q"));

    private JsonNode answered(Map<String, Double> consumed) {
        return JSON.valueToTree(LocalQueueBody.of(
                queue,
                LocalQueueStatus.of(new LocalQueueUsage(
                        "default/q", new TreeMap<>(consumed), Instant.parse("2026-01-01T00:00:00Z")))));
    }

    @Test
    void amounts_are_quantities_to_the_nearest_thousandth() {
        JsonNode consumed = answered(
                        Map.of("cpu", 2.3434, "nvidia.com/gpu", 8.0, "memory", 5e11, "pods", 0.0004, "x", 0.0005))
                .at("/status/fairSharing/admissionFairSharingStatus/consumedResources");

        assertThat(consumed.path("cpu").textValue()).isEqualTo("2343m");
        assertThat(consumed.path("nvidia.com/gpu").textValue()).isEqualTo("8");
        assertThat(consumed.path("memory").textValue()).isEqualTo("500000000000");
        assertThat(consumed.path("pods").textValue()).isEqualTo("0");
        assertThat(consumed.path("x").textValue()).isEqualTo("1m");
    }

    @Test
    void a_queue_is_taken_back_as_it_was_answered() {
        assertThat(NativeDocuments.read(ConfigurationKind.LOCAL_QUEUE, "default/q", answered(Map.of("cpu", 1.0))))
                .isEqualTo(new ConfigurationChange.PutLocalQueue(queue));
    }

    @Test
    void a_queue_that_does_not_go_by_usage_tells_none() {
        JsonNode plain = JSON.valueToTree(LocalQueueBody.of(queue));
        assertThat(plain.has("status")).isFalse();
    }
}
