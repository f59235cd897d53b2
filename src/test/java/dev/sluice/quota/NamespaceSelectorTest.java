package dev.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.LabelRequirement.Operator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As Kubernetes reads a label selector. */
class NamespaceSelectorTest {
    private static NamespaceSelector expression(String key, Operator operator, String... values) {
        return new NamespaceSelector(new TreeMap<>(), List.of(new LabelRequirement(key, operator, List.of(values))));
    }

    @ParameterizedTest
    @CsvSource({
        "IN, prod, true",
        "IN, test, false",
        "IN, , false",
        "NOT_IN, prod, false",
        "NOT_IN, test, true",
        "NOT_IN, , true",
    })
    void an_expression_about_values(Operator operator, String carried, boolean matches) {
        Map<String, String> labels = carried == null ? Map.of() : Map.of("tier", carried);

        assertThat(expression("tier", operator, "prod", "stage").matches("ns", labels))
                .isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({
        "EXISTS, true, true",
        "EXISTS, false, false",
        "DOES_NOT_EXIST, true, false",
        "DOES_NOT_EXIST, false, true"
    })
    void an_expression_about_a_label(Operator operator, boolean carried, boolean matches) {
        assertThat(expression("tier", operator).matches("ns", carried ? Map.of("tier", "") : Map.of()))
                .isEqualTo(matches);
    }

    @Test
    void all_that_is_asked_must_hold() {
        NamespaceSelector both = new NamespaceSelector(
                new TreeMap<>(Map.of("team", "vision")),
                List.of(new LabelRequirement("tier", Operator.EXISTS, List.of())));

        assertThat(both.matches("ns", Map.of("team", "vision", "tier", "prod"))).isTrue();
        assertThat(both.matches("ns", Map.of("team", "vision"))).isFalse();
        assertThat(both.matches("ns", Map.of("team", "speech", "tier", "prod"))).isFalse();
    }

    @Test
    void a_namespace_carries_its_name_whatever_else_is_known_of_it() {
        NamespaceSelector named = expression(NamespaceSelector.NAME_LABEL, Operator.IN, "team-a", "team-b");

        assertThat(named.matches("team-b", Map.of())).isTrue();
        assertThat(named.matches("team-c", Map.of())).isFalse();
        assertThat(NamespaceSelector.EVERY.matches("team-c", Map.of())).isTrue();
    }

    @Test
    void a_selector_that_asks_for_nothing_is_every_namespace() {
        assertThat(NamespaceSelector.EVERY.isEvery()).isTrue();
        assertThat(NamespaceSelector.of(Map.of("tier", "prod")).isEvery()).isFalse();
        assertThat(expression("tier", Operator.EXISTS).isEvery()).isFalse();
        assertThat(NamespaceSelector.EVERY.matches("any", Map.of())).isTrue();
    }
}
