package dev.sluice.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.DeviceResources;
import dev.sluice.quota.Quantity;
import dev.sluice.workload.LimitCheck.Breach;
import dev.sluice.workload.LimitRange.Item;
import dev.sluice.workload.LimitRange.Scope;
import dev.sluice.workload.PodResources.Container;
import dev.sluice.workload.PodResources.Demand;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("core")
class LimitRangeTest {
    private static final Map<String, String> NONE = Map.of();

    @Test
    void a_container_that_says_nothing_gets_the_defaults_and_one_that_speaks_keeps_its_word() {
        LimitRange range = containers(item(Scope.CONTAINER, NONE, NONE, Map.of("cpu", "1"), Map.of("cpu", "200m")));

        assertThat(units(List.of(range), pod(says(NONE, NONE), says(Map.of("cpu", "50m"), NONE))))
                .containsExactly(entry("cpu", 250L));
    }

    @Test
    void a_limit_of_its_own_stands_in_for_the_request_before_the_default_does() {
        LimitRange range = containers(item(Scope.CONTAINER, NONE, NONE, NONE, Map.of("cpu", "200m")));

        assertThat(units(List.of(range), pod(says(NONE, Map.of("cpu", "500m")))))
                .containsExactly(entry("cpu", 500L));
    }

    @Test
    void of_two_ranges_that_give_the_same_the_larger_counts_since_either_may_be_applied_first() {
        LimitRange first = containers(item(Scope.CONTAINER, NONE, NONE, NONE, Map.of("cpu", "100m")));
        LimitRange second = containers(item(Scope.CONTAINER, NONE, NONE, NONE, Map.of("cpu", "700m", "memory", "1Mi")));

        assertThat(units(List.of(first, second), pod(says(NONE, NONE))))
                .containsExactly(entry("cpu", 700L), entry("memory", 1L << 20));
    }

    @Test
    void init_containers_get_the_defaults_too() {
        LimitRange range = containers(item(Scope.CONTAINER, NONE, NONE, NONE, Map.of("cpu", "200m")));
        PodResources pod = new PodResources(
                List.of(says(Map.of("cpu", "10m"), NONE)), List.of(says(NONE, NONE)), Demand.NONE, new TreeMap<>());

        assertThat(units(List.of(range), pod)).containsExactly(entry("cpu", 200L));
    }

    @Test
    void a_request_of_the_whole_pod_is_taken_from_its_limit_before_its_containers_get_defaults() {
        LimitRange range = containers(item(Scope.CONTAINER, NONE, NONE, NONE, Map.of("cpu", "200m")));
        PodResources pod = new PodResources(
                List.of(says(NONE, NONE)),
                List.of(),
                new Demand(new TreeMap<>(), quantities(Map.of("cpu", "2"))),
                new TreeMap<>());

        assertThat(units(List.of(range), pod)).containsExactly(entry("cpu", 2000L));
    }

    @Test
    void what_is_below_the_least_or_above_the_most_is_a_breach_and_so_is_what_is_not_said() {
        LimitRange range =
                containers(item(Scope.CONTAINER, Map.of("cpu", "100m"), Map.of("memory", "1Gi"), NONE, NONE));

        assertThat(LimitCheck.of(
                        List.of(range),
                        pod(
                                says(Map.of("cpu", "99m"), Map.of("memory", "1025Mi")),
                                says(NONE, NONE),
                                says(Map.of("cpu", "100m"), Map.of("memory", "1Gi")))))
                .extracting(Breach::path, Breach::value)
                .containsExactlyInAnyOrder(
                        tuple("containers[0].resources.requests.cpu", "99m"),
                        tuple("containers[0].resources.limits.memory", "1025Mi"),
                        tuple("containers[1].resources.requests.cpu", null),
                        tuple("containers[1].resources.limits.memory", null));
    }

    @Test
    void a_request_above_the_limit_that_the_namespace_gives_is_a_breach() {
        LimitRange range = containers(item(Scope.CONTAINER, NONE, NONE, Map.of("cpu", "500m"), Map.of("cpu", "100m")));
        PodResources pod = LimitRange.applyAll(List.of(range), pod(says(Map.of("cpu", "700m"), NONE)));

        assertThat(LimitCheck.of(List.of(range), pod))
                .extracting(Breach::path, Breach::value)
                .containsExactly(tuple("containers[0].resources.limits.cpu", "500m"));
    }

    @Test
    void a_pod_is_measured_as_a_whole_and_without_its_overhead() {
        LimitRange range = containers(item(Scope.POD, NONE, Map.of("cpu", "2"), NONE, NONE));
        PodResources fits = new PodResources(
                List.of(says(NONE, Map.of("cpu", "1")), says(NONE, Map.of("cpu", "1"))),
                List.of(),
                Demand.NONE,
                quantities(Map.of("cpu", "1")));

        assertThat(LimitCheck.of(List.of(range), fits)).isEmpty();
        assertThat(LimitCheck.of(
                        List.of(range), pod(says(NONE, Map.of("cpu", "1")), says(NONE, Map.of("cpu", "1001m")))))
                .extracting(Breach::path, Breach::value)
                .containsExactly(tuple("resources.limits.cpu", "2.001"));
    }

    @Test
    void a_limit_too_far_above_its_request_is_a_breach() {
        LimitRange range = new LimitRange(
                "range",
                List.of(new Item(
                        Scope.CONTAINER,
                        new TreeMap<>(),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        quantities(Map.of("cpu", "2")))));

        assertThat(LimitCheck.of(List.of(range), pod(says(Map.of("cpu", "1"), Map.of("cpu", "2")))))
                .isEmpty();
        assertThat(LimitCheck.of(
                        List.of(range),
                        pod(says(Map.of("cpu", "1"), Map.of("cpu", "2001m")), says(Map.of("cpu", "1"), NONE))))
                .hasSize(2)
                .allSatisfy(breach -> assertThat(breach.path()).endsWith("limits.cpu"));
    }

    private static SortedMap<String, Long> units(List<LimitRange> ranges, PodResources pod) {
        return QuotaCharge.PLAIN.of(
                EffectiveRequest.of(LimitRange.applyAll(ranges, pod)), DeviceResources.of(Configuration.EMPTY));
    }

    private static LimitRange containers(Item item) {
        return new LimitRange("range", List.of(item));
    }

    private static Item item(
            Scope scope,
            Map<String, String> min,
            Map<String, String> max,
            Map<String, String> defaultLimits,
            Map<String, String> defaultRequests) {
        return new Item(
                scope,
                quantities(min),
                quantities(max),
                quantities(defaultLimits),
                quantities(defaultRequests),
                new TreeMap<>());
    }

    private static PodResources pod(Container... containers) {
        return new PodResources(List.of(containers), List.of(), Demand.NONE, new TreeMap<>());
    }

    private static Container says(Map<String, String> requests, Map<String, String> limits) {
        return new Container("main", new Demand(quantities(requests), quantities(limits)), false);
    }

    private static SortedMap<String, Quantity> quantities(Map<String, String> texts) {
        SortedMap<String, Quantity> quantities = new TreeMap<>();
        texts.forEach((resource, text) -> quantities.put(resource, Quantity.parse(text)));
        return quantities;
    }
}
