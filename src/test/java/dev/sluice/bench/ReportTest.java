package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final Report REPORT = new Report(
            "generator",
            new TreeMap<>(Map.of("config", "baseline")),
            List.of(
                    Row.atMost("baseline parity wall", 79.8004, "s", 82),
                    Row.atLeast("engine decisions", 1234567.8, "1/s", 2_000_000),
                    Row.told("evictions", 12, "")));

    @Test
    void a_script_gets_one_object_whose_targets_are_judged() throws Exception {
        JsonNode json = new ObjectMapper().readTree(REPORT.json());
        assertThat(json.path("bench").asText()).isEqualTo("generator");
        assertThat(json.path("machine").path("cpus").asInt()).isPositive();
        assertThat(json.path("settings").path("config").asText()).isEqualTo("baseline");
        assertThat(json.path("rows").get(0))
                .hasToString("{\"name\":\"baseline parity wall\",\"value\":79.8,\"unit\":\"s\",\"target\":82.0,"
                        + "\"better\":\"lower\",\"met\":true}");
        assertThat(json.path("rows").get(1).path("met").asBoolean()).isFalse();
        assertThat(json.path("rows").get(1).path("value").asDouble()).isEqualTo(1_234_568);
        assertThat(json.path("rows").get(2).has("target")).isFalse();
    }

    @Test
    void people_get_a_table_that_says_what_was_missed() {
        assertThat(REPORT.table())
                .contains("baseline parity wall")
                .contains("79.8")
                .contains("at most 82  met")
                .contains("at least 2,000,000  MISSED");
        assertThat(REPORT.allTargetsMet()).isFalse();
    }

    @Test
    void percentiles_are_values_that_were_measured() {
        Distribution distribution = new Distribution();
        for (int value = 1000; value >= 1; value--) {
            distribution.add(value);
        }
        assertThat(distribution.percentile(0.5)).isEqualTo(500);
        assertThat(distribution.percentile(0.99)).isEqualTo(990);
        assertThat(distribution.percentile(1)).isEqualTo(1000);
        assertThat(distribution.mean()).isEqualTo(500.5);
        assertThat(new Distribution().percentile(0.5)).isZero();
    }
}
