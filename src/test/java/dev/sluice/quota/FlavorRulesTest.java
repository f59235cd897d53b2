package dev.sluice.quota;

import static dev.sluice.quota.Configurations.broken;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("core")
class FlavorRulesTest {
    private static final Toleration FINE = new Toleration("gpu", "Exists", "", "");

    private static ResourceFlavor flavor(
            String name, Map<String, String> labels, List<Taint> taints, List<Toleration> tolerations) {
        return new ResourceFlavor(name, labels, taints, tolerations, null);
    }

    private static Map<String, String> labels(int count) {
        Map<String, String> labels = new TreeMap<>();
        IntStream.range(0, count).forEach(number -> labels.put("label" + number, "x"));
        return labels;
    }

    private static List<Taint> taints(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> new Taint("taint" + number, "", "NoSchedule"))
                .toList();
    }

    private static List<Toleration> tolerations(int count) {
        return IntStream.range(0, count).mapToObj(number -> FINE).toList();
    }

    @Test
    void eight_of_each_are_accepted_and_nine_are_not() {
        assertThat(broken(flavor("f", labels(8), taints(8), tolerations(8)))).isEmpty();
        assertThat(broken(flavor("f", labels(9), taints(9), tolerations(9))))
                .extracting(Violation::object, Violation::field, Violation::value, Violation::rule)
                .containsExactly(
                        tuple("resource-flavors/f", "nodeLabels", "9", "must be at most 8"),
                        tuple("resource-flavors/f", "nodeTaints", "9", "must be at most 8"),
                        tuple("resource-flavors/f", "tolerations", "9", "must be at most 8"));
    }

    @Test
    void names_labels_and_taints_are_those_of_kubernetes() {
        assertThat(broken(flavor(
                        "F",
                        Map.of("no key", "no value"),
                        List.of(new Taint("no key", "no value", "Sometimes")),
                        List.of(new Toleration("gpu", "Like", "", "")))))
                .extracting(Violation::field, Violation::value, Violation::rule)
                .containsExactly(
                        tuple("name", "F", KubernetesNames.SUBDOMAIN_RULE),
                        tuple("nodeLabels", "no key", KubernetesNames.LABEL_KEY_RULE),
                        tuple("nodeLabels.no key", "no value", KubernetesNames.LABEL_VALUE_RULE),
                        tuple("nodeTaints[0].key", "no key", KubernetesNames.LABEL_KEY_RULE),
                        tuple("nodeTaints[0].value", "no value", KubernetesNames.LABEL_VALUE_RULE),
                        tuple("nodeTaints[0].effect", "Sometimes", "must be NoSchedule, PreferNoSchedule or NoExecute"),
                        tuple("tolerations[0].operator", "Like", "must be Equal or Exists"));
    }

    @Test
    void a_topology_needs_a_label_of_the_nodes_that_it_spans() {
        assertThat(broken(new ResourceFlavor("f", Map.of(), List.of(), List.of(), "racks")))
                .extracting(Violation::field, Violation::rule)
                .containsExactly(tuple("topologyName", "needs at least one node label"));
        assertThat(broken(new ResourceFlavor("f", Map.of("pool", "a"), List.of(), List.of(), "racks")))
                .isEmpty();
    }
}
