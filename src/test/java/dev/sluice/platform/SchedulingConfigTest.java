package dev.sluice.platform;

import static dev.sluice.admission.FairSharing.Strategy.LESS_THAN_INITIAL_SHARE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.admission.AdmissionFairSharing;
import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.FairSharing;
import dev.sluice.admission.OrderKeeping;
import dev.sluice.admission.Overcommitment;
import dev.sluice.admission.StartRetries;
import dev.sluice.admission.StuckVictims;
import dev.sluice.admission.VictimChoice;
import dev.sluice.scheduling.SchedulingSettings;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SchedulingConfigTest {
    @Test
    void by_default_the_engine_deviates_from_kueue_on_purpose_and_does_not_share_fairly() {
        SchedulingConfig config = config(Map.of());

        assertThat(config.settings()).isEqualTo(SchedulingSettings.defaults());
        assertThat(config.admission()).isEqualTo(AdmissionSettings.defaults());
        assertThat(config.admission().fairSharing().isOn()).isFalse();
    }

    @Test
    void every_property_is_read() {
        SchedulingConfig config = config(Map.ofEntries(
                Map.entry("sluice.scheduling.leadership-time-to-live", "3s"),
                Map.entry("sluice.scheduling.poll-interval", "1s"),
                Map.entry("sluice.scheduling.inputs-max", "5"),
                Map.entry("sluice.scheduling.submissions-max", "6"),
                Map.entry("sluice.scheduling.answer-patience", "7s"),
                Map.entry("sluice.scheduling.policies", "kueue-parity"),
                Map.entry("sluice.scheduling.fair-sharing.enabled", "true"),
                Map.entry("sluice.scheduling.fair-sharing.preemption-strategies", "less-than-initial-share"),
                Map.entry("sluice.scheduling.admission-fair-sharing.usage-half-life", "10m"),
                Map.entry("sluice.scheduling.admission-fair-sharing.usage-sampling-interval", "30s"),
                Map.entry("sluice.scheduling.admission-fair-sharing.resource-weights.memory", "0.5"),
                Map.entry("sluice.scheduling.admission-fair-sharing.resource-weights.\"nvidia.com/gpu\"", "8")));

        assertThat(config.settings())
                .isEqualTo(new SchedulingSettings(
                        Duration.ofSeconds(3), Duration.ofSeconds(1), 5, 6, Duration.ofSeconds(7)));
        assertThat(config.admission())
                .isEqualTo(AdmissionSettings.kueueParity()
                        .with(new FairSharing(List.of(LESS_THAN_INITIAL_SHARE)))
                        .with(new AdmissionFairSharing(
                                Duration.ofMinutes(10),
                                Duration.ofSeconds(30),
                                new TreeMap<>(Map.of("memory", 0.5, "nvidia.com/gpu", 8.0)))));
    }

    @Test
    void who_is_protected_what_a_failed_start_costs_and_what_a_drain_does_are_configured() {
        SchedulingConfig config = config(Map.of(
                "sluice.scheduling.victims.minimum-run-time", "10m",
                "sluice.scheduling.victims.brake-after", "5",
                "sluice.scheduling.victims.brake-for", "1h",
                "sluice.scheduling.starts.ready-timeout", "2m",
                "sluice.scheduling.starts.keep-place", "true",
                "sluice.scheduling.starts.tries-at-once", "1",
                "sluice.scheduling.starts.wait-base", "5s",
                "sluice.scheduling.starts.wait-max", "1m",
                "sluice.scheduling.stuck.policy", "choose-another",
                "sluice.scheduling.overcommitment.policy", "drain"));

        AdmissionSettings chosen = config.admission();

        assertThat(chosen.victimChoice())
                .isEqualTo(new VictimChoice(Duration.ofMinutes(10), 5, Duration.ofHours(1), true, true));
        assertThat(chosen.startRetries())
                .isEqualTo(new StartRetries(
                        Duration.ofMinutes(2), false, 1, Duration.ofSeconds(5), Duration.ofMinutes(1), 0, true));
        assertThat(chosen.overcommitment()).isEqualTo(Overcommitment.drainAfter(Duration.ofMinutes(10)));
        assertThat(chosen.stuckVictims())
                .isEqualTo(new StuckVictims(Duration.ofMinutes(15), StuckVictims.Then.CHOOSE_ANOTHER));
        assertThat(config(Map.of("sluice.scheduling.stuck.after", "2h"))
                        .admission()
                        .stuckVictims())
                .isEqualTo(new StuckVictims(Duration.ofHours(2), StuckVictims.Then.WAIT));
        assertThat(config(Map.of(
                                "sluice.scheduling.overcommitment.policy", "drain",
                                "sluice.scheduling.overcommitment.grace", "3m"))
                        .admission()
                        .overcommitment())
                .isEqualTo(Overcommitment.drainAfter(Duration.ofMinutes(3)));
        assertThat(config(Map.of(
                                "sluice.scheduling.order.per-line", "false",
                                "sluice.scheduling.order.guard-after", "1h"))
                        .admission()
                        .orderKeeping())
                .isEqualTo(new OrderKeeping(false, Duration.ofHours(1)));
        assertThat(config(Map.of("sluice.scheduling.starts.starts-max", "9"))
                        .admission()
                        .startRetries()
                        .startsMax())
                .isEqualTo(9);
    }

    @Test
    void fair_sharing_without_strategies_named_has_those_of_kueue() {
        assertThat(config(Map.of("sluice.scheduling.fair-sharing.enabled", "true"))
                        .admission()
                        .fairSharing())
                .isEqualTo(FairSharing.ON);
    }

    @Test
    void strategies_in_an_order_that_says_nothing_are_refused_with_the_orders_there_are() {
        SchedulingConfig config = config(Map.of(
                "sluice.scheduling.fair-sharing.enabled", "true",
                "sluice.scheduling.fair-sharing.preemption-strategies",
                        "less-than-initial-share,less-than-or-equal-to-final-share"));

        assertThatThrownBy(config::admission)
                .hasMessageContaining("LESS_THAN_OR_EQUAL_TO_FINAL_SHARE, LESS_THAN_INITIAL_SHARE")
                .hasMessageContaining("preemption strategies must be");
    }

    private static SchedulingConfig config(Map<String, String> properties) {
        return new SmallRyeConfigBuilder()
                .withConverter(Duration.class, 100, new DurationConverter())
                .withMapping(SchedulingConfig.class)
                .withSources(new PropertiesConfigSource(properties, "test", 100))
                .build()
                .getConfigMapping(SchedulingConfig.class);
    }
}
