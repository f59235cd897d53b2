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
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("core")
class ConfigurationRulesTest {
    @Test
    void a_cycle_of_cohorts_is_refused_and_told_from_the_one_that_changed() {
        Configuration before = with(cohort("a", "b"), cohort("b", "c"), cohort("c", null));
        Configuration after = with(cohort("a", "b"), cohort("b", "c"), cohort("c", "a"));

        assertThat(ConfigurationRules.check(before, after).violations())
                .extracting(Violation::object, Violation::field, Violation::value, Violation::rule)
                .containsExactly(tuple("cohorts/c", "parent", "a", "must not close a cycle of cohorts: c → a → b → c"));
        assertThat(ConfigurationRules.check(Configuration.EMPTY, with(cohort("a", "a")))
                        .violations())
                .extracting(Violation::rule)
                .containsExactly("must not close a cycle of cohorts: a → a");
    }

    @Test
    void limits_are_refused_without_a_cohort_and_lending_more_than_nominal_always() {
        assertThat(broken(queue("q", null, group("f", line("cpu", "4", "1", "1")))))
                .extracting(Violation::field, Violation::rule)
                .containsExactly(
                        tuple("borrowingLimit", "must be left out without a cohort"),
                        tuple("lendingLimit", "must be left out without a cohort"));
        assertThat(broken(queue("q", "x", group("f", line("cpu", "4", "9", "5")))))
                .extracting(Violation::field, Violation::value, Violation::rule)
                .containsExactly(tuple("lendingLimit", "5", "must be at most nominal, which is 4"));
    }

    @Test
    void wh_04_a_resource_that_the_group_does_not_cover_is_refused_and_its_negative_quota_is_named_too() {
        ResourceGroup group = new ResourceGroup(
                List.of("cpu"),
                List.of(new FlavorQuotas(
                        "f", List.of(line("cpu", "1", null, null), line("memory", "-5", null, null)))));

        assertThat(broken(queue("q", null, group)))
                .extracting(Violation::line, Violation::field, Violation::rule)
                .containsExactly(
                        tuple(
                                new Violation.Line("f", "memory"),
                                "resource",
                                "must be one of the group's covered resources: cpu"),
                        tuple(new Violation.Line("f", "memory"), "nominal", "must not be negative"));
    }

    @Test
    void every_flavor_of_a_group_must_list_every_covered_resource() {
        ResourceGroup group = new ResourceGroup(
                List.of("cpu", "memory"),
                List.of(
                        new FlavorQuotas("f", List.of(line("cpu", "1", null, null), line("memory", "1", null, null))),
                        new FlavorQuotas("g", List.of(line("cpu", "1", null, null)))));

        assertThat(broken(queue("q", null, group)))
                .singleElement()
                .satisfies(violation ->
                        assertThat(violation.rule()).startsWith("is missing: flavor g must have a line for memory"));
    }

    @Test
    void a_resource_or_a_flavor_stands_in_one_group_only() {
        assertThat(broken(queue(
                        "q", null, group("f", line("cpu", "1", null, null)), group("g", line("cpu", "1", null, null)))))
                .extracting(Violation::field, Violation::value)
                .containsExactly(tuple("resource", "cpu"));
        assertThat(broken(queue(
                        "q",
                        null,
                        group("f", line("cpu", "1", null, null)),
                        group("f", line("memory", "1", null, null)))))
                .extracting(Violation::field, Violation::value)
                .containsExactly(tuple("flavor", "f"));
    }

    @Test
    void more_than_sixteen_groups_or_sixty_four_flavors_are_refused() {
        ResourceGroup[] groups = IntStream.range(0, 17)
                .mapToObj(index -> group("f" + index, line("r" + index, "1", null, null)))
                .toArray(ResourceGroup[]::new);
        assertThat(broken(queue("q", null, groups)))
                .extracting(Violation::field, Violation::value, Violation::rule)
                .containsExactly(tuple("resourceGroups", "17", "must be at most 16"));
        ResourceGroup wide = new ResourceGroup(
                List.of("cpu"),
                IntStream.range(0, 65)
                        .mapToObj(index -> new FlavorQuotas("f" + index, List.of(line("cpu", "1", null, null))))
                        .toList());
        assertThat(broken(queue("q", null, wide)))
                .extracting(Violation::field, Violation::rule)
                .containsExactly(tuple("flavors", "must be at most 64"));
    }

    @Test
    void borrowing_by_preemption_needs_reclaiming() {
        ClusterQueue queue = queue("q", "x", group("f", line("cpu", "1", null, null)));
        PreemptionPolicy policy = new PreemptionPolicy(
                PreemptionPolicy.WithinClusterQueue.NEVER,
                PreemptionPolicy.ReclaimWithinCohort.NEVER,
                new PreemptionPolicy.BorrowWithinCohort(true, null));

        assertThat(broken(new ClusterQueue(
                        queue.name(),
                        queue.cohort(),
                        null,
                        queue.queueingStrategy(),
                        queue.resourceGroups(),
                        policy,
                        queue.flavorFungibility(),
                        queue.weight(),
                        queue.stopPolicy(),
                        queue.namespaceSelector(),
                        List.of())))
                .extracting(Violation::field)
                .containsExactly("preemption.borrowWithinCohort.policy");
    }

    @Test
    void qt_11_a_weight_that_would_become_zero_is_refused() {
        assertThat(broken(new Cohort("c", null, List.of(), Quantity.parse("1e-10"))))
                .extracting(Violation::field, Violation::rule)
                .containsExactly(tuple("fairSharing.weight", "must be 0 or greater than 1n (1e-9)"));
        assertThat(broken(new Cohort("c", null, List.of(), Quantity.parse("1n"))))
                .hasSize(1);
        assertThat(broken(new Cohort("c", null, List.of(), Quantity.parse("2n"))))
                .isEmpty();
        assertThat(broken(new Cohort("c", null, List.of(), Quantity.ZERO))).isEmpty();
    }

    @Test
    void qt_01_a_quota_of_an_exa_is_accepted_and_one_beyond_the_range_of_long_is_not() {
        assertThat(broken(queue("q", null, group("f", line("cpu", "1E", null, null)))))
                .isEmpty();
        assertThat(broken(queue("q", null, group("f", line("cpu", "9223372036854775808", null, null)))))
                .extracting(Violation::field, Violation::rule)
                .containsExactly(tuple("nominal", "must be at most 9223372036854775807 (2^63 - 1)"));
        assertThat(broken(queue("q", null, group("f", line("nvidia.com/gpu", "0.5", null, null)))))
                .extracting(Violation::rule)
                .containsExactly("must be a whole number: nvidia.com/gpu cannot be divided");
    }

    @Test
    void bo_04_quota_in_two_units_within_one_cohort_is_warned_about() {
        Configuration after = with(
                queue("q1", "x", group("f", line("gpu.memory", "20096Mi", null, null))),
                queue("q2", "x", group("f", line("gpu.memory", "1", null, null))),
                new ResourceFlavor("f", Map.of(), List.of(), List.of(), null));

        ConfigurationRules.Findings findings = ConfigurationRules.check(Configuration.EMPTY, after);

        assertThat(findings.violations()).isEmpty();
        assertThat(findings.warnings())
                .extracting(Violation::object, Violation::field, Violation::value)
                .containsExactly(tuple("cluster-queues/q2", "nominal", "1"));
    }

    @Test
    void a_flavor_that_is_still_named_cannot_be_deleted_and_an_unknown_one_warns_with_the_nearest() {
        ClusterQueue queue = queue("q", null, group("h100", line("cpu", "1", null, null)));
        ResourceFlavor flavor = new ResourceFlavor("h100", Map.of(), List.of(), List.of(), null);

        assertThat(ConfigurationRules.check(with(queue, flavor), with(queue)).violations())
                .extracting(Violation::object, Violation::rule)
                .containsExactly(tuple("resource-flavors/h100", "is still named by cluster-queues/q"));
        ResourceFlavor idle = new ResourceFlavor("a100", Map.of(), List.of(), List.of(), null);
        assertThat(ConfigurationRules.check(with(queue, flavor, idle), with(queue, flavor))
                        .violations())
                .as("nobody names it")
                .isEmpty();
        ClusterQueue typo = queue("q", null, group("h10", line("cpu", "1", null, null)));
        assertThat(ConfigurationRules.check(Configuration.EMPTY, with(typo, flavor))
                        .warnings())
                .extracting(Violation::field, Violation::nearest)
                .containsExactly(tuple("flavor", List.of("h100")));
    }

    @Test
    void the_cluster_queue_of_a_local_queue_does_not_change() {
        LocalQueue before = new LocalQueue("ns", "lq", "a", StopPolicy.NONE, Quantity.of(1));
        LocalQueue after = new LocalQueue("ns", "lq", "b", StopPolicy.NONE, Quantity.of(1));

        assertThat(ConfigurationRules.check(with(before), with(after)).violations())
                .extracting(Violation::object, Violation::field)
                .containsExactly(tuple("local-queues/ns/lq", "clusterQueue"));
    }

    @Test
    void devices_of_a_class_have_one_line_whoever_comes_first() {
        DeviceClass gpu = new DeviceClass("gpu.nvidia.com", "nvidia.com/gpu");
        ClusterQueue queue = queue("q", null, group("f", line("nvidia.com/gpu", "4", null, null)));

        assertThat(ConfigurationRules.check(with(queue), with(queue, gpu)).violations())
                .extracting(Violation::object, Violation::rule)
                .containsExactly(tuple(
                        "cluster-queues/q",
                        "is served by a DeviceClass, so its quota must be written as deviceclass/gpu.nvidia.com"));
    }

    @Test
    void names_that_are_no_dns_names_are_refused() {
        for (String name : List.of("../etc", "Ünïcode", "UPPER", "-x", "a..b", "a".repeat(254))) {
            assertThat(broken(new Cohort(name, null, List.of(), Quantity.of(1))))
                    .extracting(Violation::field)
                    .containsExactly("name");
        }
    }

    @Test
    void nearest_names_are_few_and_ordered() {
        assertThat(NearestNames.of("team-x", List.of("team-a", "team-b", "serving", "team-x1", "tea")))
                .containsExactly("team-a", "team-b", "team-x1");
        assertThat(NearestNames.of("zzz", List.of("serving", "batch"))).isEmpty();
    }
}
