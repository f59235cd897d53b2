package dev.sluice.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.quota.DeviceResources;
import dev.sluice.quota.Quantity;
import dev.sluice.workload.ResourceTransformation.Strategy;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("core")
class QuotaChargeTest {
    private static final DeviceResources NO_DEVICES = new DeviceResources(new TreeMap<>());

    @Test
    void qt_02_a_factor_multiplies_the_exact_request_before_anything_is_rounded() {
        QuotaCharge charge = charging(transform("cpu", Strategy.RETAIN, null, Map.of("credits", "1000")));

        assertThat(charge.of(request(Map.of("cpu", "300m")), NO_DEVICES))
                .containsExactly(entry("cpu", 300L), entry("credits", 300L));
    }

    @Test
    void qt_08_a_product_beyond_the_range_of_long_saturates_and_is_never_negative() {
        QuotaCharge charge = charging(transform("example.com/gpu", Strategy.REPLACE, null, Map.of("memory", "1Ei")));

        assertThat(charge.of(request(Map.of("example.com/gpu", "1000")), NO_DEVICES))
                .containsExactly(entry("memory", Long.MAX_VALUE));
    }

    @Test
    void replace_takes_the_input_away_and_adds_its_outputs_to_what_was_asked_for_directly() {
        QuotaCharge charge = charging(
                transform("nvidia.com/mig-1g.5gb", Strategy.REPLACE, null, Map.of("credits", "1", "gpu-memory", "5Gi")),
                transform(
                        "nvidia.com/mig-2g.10gb",
                        Strategy.REPLACE,
                        null,
                        Map.of("credits", "2", "gpu-memory", "10Gi")));

        SortedMap<String, Long> lines = charge.of(
                request(Map.of("nvidia.com/mig-1g.5gb", "1", "nvidia.com/mig-2g.10gb", "2", "credits", "3")),
                NO_DEVICES);

        assertThat(lines).containsExactly(entry("credits", 8L), entry("gpu-memory", 25L << 30));
    }

    @Test
    void multiply_by_takes_the_amount_of_another_resource_of_the_same_pod() {
        QuotaCharge charge = charging(
                transform("nvidia.com/gpucores", Strategy.REPLACE, "nvidia.com/gpu", Map.of("total-cores", "1")));

        assertThat(charge.of(request(Map.of("nvidia.com/gpu", "2", "nvidia.com/gpucores", "20")), NO_DEVICES))
                .containsExactly(entry("nvidia.com/gpu", 2L), entry("total-cores", 40L));
        assertThat(charge.of(request(Map.of("nvidia.com/gpucores", "20")), NO_DEVICES))
                .containsExactly(entry("total-cores", 20L));
    }

    @Test
    void a_negative_total_is_floored_at_zero() {
        QuotaCharge charge = charging(
                transform("a.com/x", Strategy.REPLACE, null, Map.of("credits", "2")),
                transform("b.com/y", Strategy.REPLACE, null, Map.of("credits", "-5")));

        assertThat(charge.of(request(Map.of("a.com/x", "1", "b.com/y", "1")), NO_DEVICES))
                .containsExactly(entry("credits", 0L));
        assertThat(charge.of(request(Map.of("a.com/x", "4", "b.com/y", "1")), NO_DEVICES))
                .containsExactly(entry("credits", 3L));
    }

    @Test
    void excluded_prefixes_leave_the_accounting_after_the_transformations() {
        QuotaCharge charge = new QuotaCharge(
                List.of(transform("networking.example.com/vpc", Strategy.RETAIN, null, Map.of("credits", "1"))),
                List.of("networking.example.com/"));

        assertThat(charge.of(request(Map.of("cpu", "1", "networking.example.com/vpc", "2")), NO_DEVICES))
                .containsExactly(entry("cpu", 1000L), entry("credits", 2L));
    }

    @Test
    void an_extended_resource_and_its_device_class_draw_from_one_line() {
        DeviceResources devices = new DeviceResources(new TreeMap<>(Map.of("nvidia.com/gpu", "gpu.nvidia.com")));

        assertThat(QuotaCharge.PLAIN.of(
                        request(Map.of("nvidia.com/gpu", "2", "deviceclass/gpu.nvidia.com", "1")), devices))
                .containsExactly(entry("deviceclass/gpu.nvidia.com", 3L));
        assertThat(QuotaCharge.PLAIN.of(
                        request(Map.of("deviceclass.resource.kubernetes.io/gpu.nvidia.com", "2")), devices))
                .containsExactly(entry("deviceclass/gpu.nvidia.com", 2L));
    }

    @Test
    void qt_07_a_fraction_of_a_byte_rounds_up() {
        assertThat(QuotaCharge.PLAIN.of(request(Map.of("memory", "4.1Gi")), NO_DEVICES))
                .containsExactly(entry("memory", 4402341479L));
    }

    @Test
    void two_transformations_of_one_input_are_refused() {
        ResourceTransformation one = transform("cpu", Strategy.RETAIN, null, Map.of("credits", "1"));

        assertThatThrownBy(() -> charging(one, one)).hasMessageContaining("same input");
    }

    private static QuotaCharge charging(ResourceTransformation... transformations) {
        return new QuotaCharge(List.of(transformations), List.of());
    }

    private static ResourceTransformation transform(
            String input, Strategy strategy, @Nullable String multiplyBy, Map<String, String> outputs) {
        SortedMap<String, Quantity> factors = new TreeMap<>();
        outputs.forEach((resource, factor) -> factors.put(resource, Quantity.parse(factor)));
        return new ResourceTransformation(input, strategy, multiplyBy, factors);
    }

    private static SortedMap<String, BigDecimal> request(Map<String, String> texts) {
        SortedMap<String, BigDecimal> request = new TreeMap<>();
        texts.forEach(
                (resource, text) -> request.put(resource, Quantity.parse(text).value()));
        return request;
    }
}
