package dev.sluice.platform.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DemoConfigTest {
    @Test
    void nothing_is_played_unless_asked_for() {
        DemoConfig config = config(Map.of());

        assertThat(config.scenario()).isEqualTo("none");
        assertThat(config.stepDuration()).isEqualTo(Duration.ofMinutes(15));
        assertThat(config.stepDurationMin()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void every_property_is_read() {
        DemoConfig config = config(Map.of(
                "sluice.demo.scenario", "three-teams",
                "sluice.demo.step-duration", "PT5M",
                "sluice.demo.step-duration-min", "PT1S"));

        assertThat(config.scenario()).isEqualTo("three-teams");
        assertThat(config.stepDuration()).isEqualTo(Duration.ofMinutes(5));
        assertThat(config.stepDurationMin()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void a_step_follows_the_speed_of_the_fleet_but_can_always_be_seen() {
        assertThat(DemoWiring.hold(config(Map.of()), 60)).isEqualTo(Duration.ofSeconds(15));
        assertThat(DemoWiring.hold(config(Map.of()), 100_000)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void workloads_outlast_a_round_at_any_speed() {
        for (double speed : new double[] {1, 60, 10_000}) {
            Duration hold = DemoWiring.hold(config(Map.of()), speed);
            double lastsSeconds = DemoWiring.runsFor(hold, speed).toSeconds() / speed;

            assertThat(lastsSeconds).isGreaterThan(hold.toSeconds() * 4.0);
        }
    }

    private static DemoConfig config(Map<String, String> properties) {
        return new SmallRyeConfigBuilder()
                .withMapping(DemoConfig.class)
                .withSources(new PropertiesConfigSource(properties, "test", 100))
                .build()
                .getConfigMapping(DemoConfig.class);
    }
}
