package dev.sluice.quota;

import static dev.sluice.quota.Configurations.broken;
import static dev.sluice.quota.Configurations.cohort;
import static dev.sluice.quota.Configurations.group;
import static dev.sluice.quota.Configurations.line;
import static dev.sluice.quota.Configurations.queue;
import static dev.sluice.quota.Configurations.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rules of one object's resource groups, at their limits, and the warning of two units. */
@Tag("core")
class QuotaRulesTest {
    private static ResourceGroup wide(int number, int resources, int flavors) {
        List<String> covered = IntStream.range(0, resources)
                .mapToObj(index -> "r" + number + "-" + index)
                .toList();
        List<ResourceQuota> lines = covered.stream()
                .map(resource -> line(resource, "1", null, null))
                .toList();
        return new ResourceGroup(
                covered,
                IntStream.range(0, flavors)
                        .mapToObj(index -> new FlavorQuotas("f" + number + "-" + index, lines))
                        .toList());
    }

    @Test
    void as_much_as_the_limits_allow_is_accepted() {
        assertThat(broken(queue("q", null, wide(0, 64, 64)))).isEmpty();
        assertThat(broken(queue(
                        "q",
                        null,
                        IntStream.range(0, 16)
                                .mapToObj(number -> wide(number, 16, 16))
                                .toArray(ResourceGroup[]::new))))
                .isEmpty();
    }

    @Test
    void one_more_is_refused_per_group_and_in_all() {
        assertThat(broken(queue("q", null, wide(0, 65, 1))))
                .extracting(Violation::field, Violation::value, Violation::rule)
                .containsExactly(tuple("coveredResources", "65", "must be at most 64"));
        assertThat(broken(queue(
                        "q",
                        null,
                        wide(0, 52, 52),
                        wide(1, 52, 52),
                        wide(2, 52, 52),
                        wide(3, 52, 52),
                        wide(4, 49, 49))))
                .extracting(Violation::field, Violation::value, Violation::rule)
                .containsExactly(
                        tuple("coveredResources", "257", "must be at most 256"),
                        tuple("flavors", "257", "must be at most 256"));
    }

    @Test
    void a_group_names_resources_and_flavors_and_both_by_their_rules() {
        assertThat(broken(queue("q", null, new ResourceGroup(List.of(), List.of()))))
                .extracting(Violation::field, Violation::rule)
                .containsExactly(
                        tuple("coveredResources", "must name at least one resource"),
                        tuple("flavors", "must name at least one flavor"));
        assertThat(broken(queue("q", null, group("F", line("a/b/c", "1", null, null)))))
                .extracting(Violation::field, Violation::value, Violation::rule)
                .containsExactly(
                        tuple("resource", "a/b/c", KubernetesNames.RESOURCE_RULE),
                        tuple("flavor", "F", KubernetesNames.SUBDOMAIN_RULE));
    }

    @Test
    void a_flavor_has_one_line_per_resource() {
        ResourceGroup twice = new ResourceGroup(
                List.of("cpu"),
                List.of(new FlavorQuotas("f", List.of(line("cpu", "1", null, null), line("cpu", "2", null, null)))));

        assertThat(broken(queue("q", null, twice)))
                .extracting(Violation::line, Violation::rule)
                .containsExactly(tuple(new Violation.Line("f", "cpu"), "must have one line in flavor f"));
    }

    @Test
    void limits_are_amounts_too_and_all_of_nominal_may_be_lent() {
        assertThat(broken(queue("q", "x", group("f", line("cpu", "4", "0", "4")))))
                .isEmpty();
        assertThat(broken(queue("q", "x", group("f", line("cpu", "4", "-1", "-2")))))
                .extracting(Violation::field, Violation::value, Violation::rule)
                .containsExactly(
                        tuple("borrowingLimit", "-1", "must not be negative"),
                        tuple("lendingLimit", "-2", "must not be negative"));
    }

    @Test
    void a_cohort_may_lend_more_than_it_owns_since_its_members_own_some() {
        assertThat(broken(new Cohort("x", "top", List.of(group("f", line("cpu", "4", null, "9"))), Quantity.of(1))))
                .isEmpty();
        assertThat(broken(new Cohort("x", null, List.of(group("f", line("cpu", "4", "1", "9"))), Quantity.of(1))))
                .extracting(Violation::field, Violation::rule)
                .containsExactly(
                        tuple("borrowingLimit", "must be left out without a parent"),
                        tuple("lendingLimit", "must be left out without a parent"));
    }

    private static List<Violation> warnings(Object... objects) {
        return ConfigurationRules.check(Configuration.EMPTY, with(objects)).warnings().stream()
                .filter(warning -> warning.field().equals("nominal"))
                .toList();
    }

    @Test
    void bo_04_two_units_are_told_from_a_million_times_as_much_in_the_same_tree() {
        ClusterQueue small = queue("small", "x", group("f", line("memory", "3", null, null)));

        assertThat(warnings(small, queue("large", "x", group("f", line("memory", "2999999", null, null)))))
                .isEmpty();
        assertThat(warnings(small, queue("large", "x", group("f", line("memory", "3M", null, null)))))
                .extracting(Violation::object, Violation::value, Violation::rule)
                .containsExactly(
                        tuple(
                                "cluster-queues/small",
                                "3",
                                "is at most a millionth of the 3M of cluster-queues/large in the same tree: is a unit missing?"));
        assertThat(warnings(small, queue("large", "y", group("f", line("memory", "3M", null, null)))))
                .as("another tree")
                .isEmpty();
        assertThat(warnings(small, queue("large", null, group("f", line("memory", "3M", null, null)))))
                .as("no tree")
                .isEmpty();
        assertThat(warnings(
                        queue("none", "x", group("f", line("memory", "0", null, null))),
                        queue("large", "x", group("f", line("memory", "3M", null, null)))))
                .as("nothing is no unit")
                .isEmpty();
    }

    @Test
    void bo_04_a_tree_has_all_its_cohorts_and_the_least_and_the_most_are_named() {
        Cohort inner =
                new Cohort("inner", "top", List.of(group("f", line("memory", "5M", null, null))), Quantity.of(1));

        assertThat(warnings(
                        inner,
                        cohort("top", null),
                        queue("a", "inner", group("f", line("memory", "2", null, null))),
                        queue("b", "top", group("f", line("memory", "1", null, null))),
                        queue("c", "top", group("f", line("memory", "3M", null, null)))))
                .extracting(Violation::object, Violation::rule)
                .containsExactly(tuple(
                        "cluster-queues/b",
                        "is at most a millionth of the 5M of cohorts/inner in the same tree: is a unit missing?"));
    }

    @Test
    void bo_04_among_equals_the_first_by_name_is_named() {
        assertThat(warnings(
                        queue("a", "x", group("f", line("memory", "1", null, null))),
                        queue("b", "x", group("f", line("memory", "1", null, null))),
                        queue("c", "x", group("f", line("memory", "1M", null, null))),
                        queue("d", "x", group("f", line("memory", "1M", null, null)))))
                .extracting(Violation::object, Violation::rule)
                .containsExactly(tuple(
                        "cluster-queues/a",
                        "is at most a millionth of the 1M of cluster-queues/c in the same tree: is a unit missing?"));
    }

    @Test
    void a_cycle_of_cohorts_does_not_keep_the_units_from_being_compared() {
        assertThat(warnings(
                        cohort("x", "y"),
                        cohort("y", "x"),
                        queue("a", "x", group("f", line("memory", "1", null, null))),
                        queue("b", "x", group("f", line("memory", "1M", null, null)))))
                .hasSize(1);
    }
}
