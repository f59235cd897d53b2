package dev.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("core")
class ResourcesTest {
    @ParameterizedTest
    @CsvSource({
        "cpu, 1500, 1500m",
        "cpu, 2000, 2",
        "cpu, 0, 0",
        "memory, 0, 0",
        "memory, 1023, 1023",
        "memory, 1024, 1Ki",
        "memory, 1536, 1536",
        "memory, 4294967296, 4Gi",
        "memory, 5242880, 5Mi",
        "ephemeral-storage, 1099511627776, 1Ti",
        "hugepages-2Mi, 1125899906842624, 1Pi",
        "memory, 2305843009213693952, 2Ei",
        "nvidia.com/gpu, 1024, 1024",
    })
    void amounts_are_written_as_kubernetes_writes_them(String resource, long amount, String text) {
        assertThat(Resources.format(resource, amount)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nvidia.com/gpu", "deviceclass/gpu", "pods"})
    void devices_and_pods_exist_as_wholes_only(String resource) {
        assertThat(Resources.isWholeOnly(resource)).isTrue();
        assertThat(Resources.ruleBrokenBy(resource, Quantity.parse("1500m")))
                .isEqualTo("must be a whole number: " + resource + " cannot be divided");
        assertThat(Resources.ruleBrokenBy(resource, Quantity.parse("2000m"))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "memory", "kubernetes.io/batch", "/odd"})
    void everything_else_may_be_divided(String resource) {
        assertThat(Resources.isWholeOnly(resource)).isFalse();
        assertThat(Resources.ruleBrokenBy(resource, Quantity.parse("1500m"))).isNull();
    }

    @Test
    void an_amount_is_between_nothing_and_the_largest_number() {
        assertThat(Resources.ruleBrokenBy("cpu", Quantity.parse("-1m"))).isEqualTo("must not be negative");
        assertThat(Resources.ruleBrokenBy("cpu", Quantity.ZERO)).isNull();
        assertThat(Resources.ruleBrokenBy("memory", Quantity.of(Long.MAX_VALUE)))
                .isNull();
        assertThat(Resources.ruleBrokenBy("memory", Quantity.parse("9223372036854775808")))
                .isEqualTo("must be at most 9223372036854775807 (2^63 - 1)");
    }

    @ParameterizedTest
    @CsvSource({
        "cpu, true",
        "pods, true",
        "memory, true",
        "ephemeral-storage, true",
        "hugepages-1Gi, true",
        "nvidia.com/gpu, false"
    })
    void what_every_node_has_is_native(String resource, boolean isNative) {
        assertThat(Resources.isNative(resource)).isEqualTo(isNative);
    }

    @Test
    void a_device_is_counted_under_its_class_by_whatever_name_it_is_asked_for() {
        DeviceResources devices = DeviceResources.of(Configurations.with(
                new DeviceClass("b.example.com", "example.com/gpu"),
                new DeviceClass("a.example.com", "example.com/gpu"),
                new DeviceClass("plain.example.com", null)));

        assertThat(devices).isEqualTo(new DeviceResources(new TreeMap<>(Map.of("example.com/gpu", "a.example.com"))));
        assertThat(devices.quotaKey("example.com/gpu")).isEqualTo("deviceclass/a.example.com");
        assertThat(devices.quotaKey("deviceclass.resource.kubernetes.io/plain.example.com"))
                .isEqualTo("deviceclass/plain.example.com");
        assertThat(devices.quotaKey("cpu")).isEqualTo("cpu");
        assertThat(Resources.isDeviceClass("deviceclass/x")).isTrue();
        assertThat(Resources.isDeviceClass("x")).isFalse();
        assertThat(Resources.isCountedInMilli("cpu")).isTrue();
        assertThat(Resources.isCountedInMilli("memory")).isFalse();
    }
}
