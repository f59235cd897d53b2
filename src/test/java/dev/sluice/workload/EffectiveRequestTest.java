package dev.sluice.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.DeviceResources;
import dev.sluice.quota.Quantity;
import dev.sluice.workload.PodResources.Container;
import dev.sluice.workload.PodResources.Demand;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("core")
class EffectiveRequestTest {
    @Test
    void qm_07_a_sidecar_stacks_on_the_init_containers_after_it() {
        PodResources pod = pod(
                List.of(app(Map.of("cpu", "100m"))),
                List.of(sidecar(Map.of("cpu", "100m")), init(Map.of("cpu", "200m"))));

        assertThat(units(pod)).containsExactly(entry("cpu", 300L));
    }

    @Test
    void a_sidecar_does_not_stack_on_the_init_containers_before_it() {
        PodResources pod = pod(
                List.of(app(Map.of("cpu", "100m"))),
                List.of(init(Map.of("cpu", "250m")), sidecar(Map.of("cpu", "100m"))));

        assertThat(units(pod)).containsExactly(entry("cpu", 250L));
    }

    @Test
    void containers_are_summed_and_an_init_container_counts_only_where_it_is_larger() {
        PodResources pod = pod(
                List.of(app(Map.of("cpu", "1", "memory", "1Gi")), app(Map.of("cpu", "1"))),
                List.of(init(Map.of("cpu", "500m", "memory", "3Gi"))));

        assertThat(units(pod)).containsExactly(entry("cpu", 2000L), entry("memory", 3L << 30));
    }

    @Test
    void qm_08_overhead_is_added_to_every_pod() {
        PodResources pod = new PodResources(
                List.of(app(Map.of("cpu", "1"))), List.of(), Demand.NONE, quantities(Map.of("cpu", "250m")));

        assertThat(units(pod)).containsExactly(entry("cpu", 1250L));
    }

    @Test
    void qt_10_a_limit_stands_in_for_a_missing_request_of_the_same_resource_only() {
        Demand demand = new Demand(quantities(Map.of("cpu", "1")), quantities(Map.of("cpu", "2", "memory", "1Gi")));

        assertThat(units(pod(List.of(new Container("app", demand, false)), List.of())))
                .containsExactly(entry("cpu", 1000L), entry("memory", 1L << 30));
    }

    @Test
    void a_pod_level_request_replaces_what_its_containers_ask_for_and_overhead_still_comes_on_top() {
        PodResources pod = new PodResources(
                List.of(app(Map.of("cpu", "1", "nvidia.com/gpu", "1"))),
                List.of(),
                new Demand(quantities(Map.of("cpu", "4")), quantities(Map.of("memory", "2Gi"))),
                quantities(Map.of("cpu", "100m")));

        assertThat(units(pod))
                .containsExactly(entry("cpu", 4100L), entry("memory", 2L << 30), entry("nvidia.com/gpu", 1L));
    }

    @Test
    void a_pod_level_limit_does_not_replace_what_containers_request() {
        PodResources pod = new PodResources(
                List.of(app(Map.of("cpu", "1"))),
                List.of(),
                new Demand(new TreeMap<>(), quantities(Map.of("cpu", "4"))),
                new TreeMap<>());

        assertThat(units(pod)).containsExactly(entry("cpu", 1000L));
    }

    @Test
    void a_pod_level_limit_of_huge_pages_counts_also_where_containers_ask_for_fewer() {
        PodResources pod = new PodResources(
                List.of(app(Map.of("hugepages-2Mi", "4Mi"))),
                List.of(),
                new Demand(new TreeMap<>(), quantities(Map.of("hugepages-2Mi", "8Mi"))),
                new TreeMap<>());

        assertThat(units(pod)).containsExactly(entry("hugepages-2Mi", 8L << 20));
    }

    private static SortedMap<String, Long> units(PodResources pod) {
        return QuotaCharge.PLAIN.of(EffectiveRequest.of(pod), DeviceResources.of(Configuration.EMPTY));
    }

    private static PodResources pod(List<Container> containers, List<Container> initContainers) {
        return new PodResources(containers, initContainers, Demand.NONE, new TreeMap<>());
    }

    private static Container app(Map<String, String> requests) {
        return new Container("app", requesting(requests), false);
    }

    private static Container init(Map<String, String> requests) {
        return new Container("init", requesting(requests), false);
    }

    private static Container sidecar(Map<String, String> requests) {
        return new Container("sidecar", requesting(requests), true);
    }

    private static Demand requesting(Map<String, String> requests) {
        return new Demand(quantities(requests), new TreeMap<>());
    }

    private static SortedMap<String, Quantity> quantities(Map<String, String> texts) {
        SortedMap<String, Quantity> quantities = new TreeMap<>();
        texts.forEach((resource, text) -> quantities.put(resource, Quantity.parse(text)));
        return quantities;
    }
}
