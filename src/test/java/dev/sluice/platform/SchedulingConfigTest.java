package dev.sluice.platform;

import static dev.sluice.admission.FairSharing.Strategy.LESS_THAN_INITIAL_SHARE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.FairSharing;
import dev.sluice.scheduling.SchedulingSettings;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
        SchedulingConfig config = config(Map.of(
                "sluice.scheduling.leadership-time-to-live", "3s",
                "sluice.scheduling.poll-interval", "1s",
                "sluice.scheduling.inputs-max", "5",
                "sluice.scheduling.submissions-max", "6",
                "sluice.scheduling.answer-patience", "7s",
                "sluice.scheduling.policies", "kueue-parity",
                "sluice.scheduling.fair-sharing.enabled", "true",
                "sluice.scheduling.fair-sharing.preemption-strategies", "less-than-initial-share"));

        assertThat(config.settings())
                .isEqualTo(new SchedulingSettings(
                        Duration.ofSeconds(3), Duration.ofSeconds(1), 5, 6, Duration.ofSeconds(7)));
        assertThat(config.admission())
                .isEqualTo(AdmissionSettings.kueueParity().with(new FairSharing(List.of(LESS_THAN_INITIAL_SHARE))));
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
