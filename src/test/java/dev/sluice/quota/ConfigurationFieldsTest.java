package dev.sluice.quota;

import static dev.sluice.quota.Configurations.broken;
import static dev.sluice.quota.Configurations.cohort;
import static dev.sluice.quota.Configurations.group;
import static dev.sluice.quota.Configurations.line;
import static dev.sluice.quota.Configurations.queue;
import static dev.sluice.quota.Configurations.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.quota.FlavorFungibility.Preference;
import dev.sluice.quota.FlavorFungibility.Search;
import dev.sluice.quota.LabelRequirement.Operator;
import dev.sluice.quota.PreemptionPolicy.BorrowWithinCohort;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every field that has a rule of its own, and what names what. */
@Tag("core")
class ConfigurationFieldsTest {
    private static ClusterQueue that(
            PreemptionPolicy preemption,
            FlavorFungibility fungibility,
            @Nullable NamespaceSelector namespaces,
            int checks) {
        return new ClusterQueue(
                "q",
                "x",
                null,
                QueueingStrategy.STRICT_FIFO,
                List.of(),
                preemption,
                fungibility,
                Quantity.of(1),
                StopPolicy.NONE,
                namespaces,
                IntStream.range(0, checks).mapToObj(number -> "check-" + number).toList());
    }

    private static ClusterQueue borrows(ReclaimWithinCohort reclaim, BorrowWithinCohort borrow) {
        return that(
                new PreemptionPolicy(WithinClusterQueue.NEVER, reclaim, borrow),
                FlavorFungibility.DEFAULT,
                NamespaceSelector.EVERY,
                0);
    }

    private static ClusterQueue scans(Search whenCanBorrow, Search whenCanPreempt) {
        return that(
                PreemptionPolicy.NEVER,
                new FlavorFungibility(whenCanBorrow, whenCanPreempt, Preference.PREEMPTION_OVER_BORROWING),
                NamespaceSelector.EVERY,
                0);
    }

    private static ClusterQueue selects(Map<String, String> labels, LabelRequirement... expressions) {
        return that(
                PreemptionPolicy.NEVER,
                FlavorFungibility.DEFAULT,
                new NamespaceSelector(new TreeMap<>(labels), List.of(expressions)),
                0);
    }

    @Test
    void borrowing_by_preemption_and_its_threshold_go_with_their_policies() {
        assertThat(broken(borrows(ReclaimWithinCohort.ANY, new BorrowWithinCohort(true, 5))))
                .isEmpty();
        assertThat(broken(borrows(ReclaimWithinCohort.LOWER_PRIORITY, new BorrowWithinCohort(true, null))))
                .isEmpty();
        assertThat(broken(borrows(ReclaimWithinCohort.ANY, new BorrowWithinCohort(false, 5))))
                .extracting(Violation::field, Violation::value)
                .containsExactly(tuple("preemption.borrowWithinCohort.maxPriorityThreshold", "5"));
    }

    @Test
    void preemption_is_preferred_only_by_who_looks_at_every_flavor() {
        assertThat(broken(scans(Search.TRY_NEXT_FLAVOR, Search.TRY_NEXT_FLAVOR)))
                .isEmpty();
        for (ClusterQueue stops : List.of(
                scans(Search.MAY_STOP_SEARCH, Search.TRY_NEXT_FLAVOR),
                scans(Search.TRY_NEXT_FLAVOR, Search.MAY_STOP_SEARCH))) {
            assertThat(broken(stops)).extracting(Violation::field).containsExactly("flavorFungibility.preference");
        }
    }

    @Test
    void a_queue_has_at_most_64_admission_checks() {
        assertThat(broken(that(PreemptionPolicy.NEVER, FlavorFungibility.DEFAULT, null, 64)))
                .isEmpty();
        assertThat(broken(that(PreemptionPolicy.NEVER, FlavorFungibility.DEFAULT, null, 65)))
                .extracting(Violation::field, Violation::value, Violation::rule)
                .containsExactly(tuple("admissionChecks", "65", "must be at most 64"));
    }

    @Test
    void a_namespace_selector_is_one_of_kubernetes() {
        assertThat(broken(selects(
                        Map.of("tier", "prod"),
                        new LabelRequirement("zone", Operator.IN, List.of("a", "b")),
                        new LabelRequirement("zone", Operator.NOT_IN, List.of("c")),
                        new LabelRequirement("zone", Operator.EXISTS, List.of()),
                        new LabelRequirement("old", Operator.DOES_NOT_EXIST, List.of()))))
                .isEmpty();
        assertThat(broken(selects(
                        Map.of("no key", "no value"),
                        new LabelRequirement("no key", Operator.IN, List.of("no value")),
                        new LabelRequirement("zone", Operator.IN, List.of()),
                        new LabelRequirement("zone", Operator.NOT_IN, List.of()),
                        new LabelRequirement("zone", Operator.EXISTS, List.of("a")))))
                .extracting(Violation::field, Violation::value, Violation::rule)
                .containsExactly(
                        tuple("namespaceSelector.matchLabels", "no key", KubernetesNames.LABEL_KEY_RULE),
                        tuple("namespaceSelector.matchLabels.no key", "no value", KubernetesNames.LABEL_VALUE_RULE),
                        tuple("namespaceSelector.matchExpressions[0].key", "no key", KubernetesNames.LABEL_KEY_RULE),
                        tuple(
                                "namespaceSelector.matchExpressions[0].values",
                                "no value",
                                KubernetesNames.LABEL_VALUE_RULE),
                        tuple(
                                "namespaceSelector.matchExpressions[1].values",
                                "",
                                "must have at least one value with In and NotIn"),
                        tuple(
                                "namespaceSelector.matchExpressions[2].values",
                                "",
                                "must have at least one value with In and NotIn"),
                        tuple(
                                "namespaceSelector.matchExpressions[3].values",
                                "a",
                                "must be left out with this operator"));
    }

    @Test
    void names_that_an_object_gives_to_others_are_names() {
        assertThat(broken(cohort("c", "Not A Name")))
                .extracting(Violation::field)
                .containsExactly("parent");
        assertThat(broken(queue("Q", "X"))).extracting(Violation::field).containsExactly("name", "cohort");
        assertThat(broken(new LocalQueue("name.space", "LQ", "Q", StopPolicy.NONE, Quantity.of(1))))
                .extracting(Violation::field, Violation::rule)
                .containsExactly(
                        tuple("namespace", KubernetesNames.LABEL_RULE),
                        tuple("name", KubernetesNames.SUBDOMAIN_RULE),
                        tuple("clusterQueue", KubernetesNames.SUBDOMAIN_RULE));
        assertThat(broken(new WorkloadPriorityClass("High", 1, "")))
                .extracting(Violation::object, Violation::field)
                .containsExactly(tuple("workload-priority-classes/High", "name"));
        assertThat(broken(new Team("T", "", List.of("fine", "not.fine"))))
                .extracting(Violation::field, Violation::value)
                .containsExactly(tuple("name", "T"), tuple("namespaces[1]", "not.fine"));
        assertThat(broken(new DeviceClass("D", "gpu")))
                .extracting(Violation::field, Violation::value)
                .containsExactly(tuple("name", "D"), tuple("extendedResourceName", "gpu"));
        assertThat(broken(new DeviceClass("d", "example.com/no gpu")))
                .extracting(Violation::field)
                .containsExactly("extendedResourceName");
        assertThat(broken(new DeviceClass("d", "example.com/gpu"))).isEmpty();
    }

    @Test
    void weights_are_not_negative() {
        assertThat(broken(new Cohort("c", null, List.of(), Quantity.parse("-1"))))
                .extracting(Violation::field, Violation::rule)
                .containsExactly(tuple("fairSharing.weight", "must not be negative"));
        assertThat(broken(new LocalQueue("ns", "lq", "q", StopPolicy.NONE, Quantity.parse("-1"))))
                .extracting(Violation::field)
                .containsExactly("fairSharing.weight");
        ClusterQueue heavy = new ClusterQueue(
                "q",
                null,
                null,
                QueueingStrategy.STRICT_FIFO,
                List.of(),
                PreemptionPolicy.NEVER,
                FlavorFungibility.DEFAULT,
                Quantity.parse("-2"),
                StopPolicy.NONE,
                null,
                List.of());
        assertThat(broken(heavy)).extracting(Violation::field).containsExactly("fairSharing.weight");
    }

    private static ClusterQueue ofTeam(String team) {
        return new ClusterQueue(
                "q",
                null,
                team,
                QueueingStrategy.STRICT_FIFO,
                List.of(),
                PreemptionPolicy.NEVER,
                FlavorFungibility.DEFAULT,
                Quantity.of(1),
                StopPolicy.NONE,
                null,
                List.of());
    }

    @Test
    void what_is_named_but_not_there_yet_is_warned_about_with_the_nearest() {
        assertThat(ConfigurationRules.check(
                                Configuration.EMPTY, with(ofTeam("vison"), new Team("vision", "", List.of())))
                        .warnings())
                .extracting(Violation::field, Violation::value, Violation::nearest)
                .containsExactly(tuple("team", "vison", List.of("vision")));
        assertThat(ConfigurationRules.check(
                                Configuration.EMPTY, with(ofTeam("vision"), new Team("vision", "", List.of())))
                        .warnings())
                .isEmpty();
        assertThat(broken(ofTeam("V"))).extracting(Violation::field).containsExactly("team");
        LocalQueue door = new LocalQueue("ns", "lq", "gpu", StopPolicy.NONE, Quantity.of(1));
        assertThat(ConfigurationRules.check(Configuration.EMPTY, with(door, queue("gpus", null)))
                        .warnings())
                .extracting(Violation::object, Violation::field, Violation::nearest)
                .containsExactly(tuple("local-queues/ns/lq", "clusterQueue", List.of("gpus")));
        assertThat(ConfigurationRules.check(Configuration.EMPTY, with(door, queue("gpu", null)))
                        .warnings())
                .isEmpty();
    }

    @Test
    void a_cohort_that_owns_quota_names_flavors_and_devices_too() {
        Cohort owner =
                new Cohort("x", null, List.of(group("h100", line("example.com/gpu", "4", null, null))), Quantity.of(1));
        ResourceFlavor flavor = new ResourceFlavor("h100", Map.of(), List.of(), List.of(), null);

        assertThat(ConfigurationRules.check(Configuration.EMPTY, with(owner)).warnings())
                .extracting(Violation::object, Violation::field, Violation::value)
                .containsExactly(tuple("cohorts/x", "flavor", "h100"));
        assertThat(ConfigurationRules.check(with(owner, flavor), with(owner)).violations())
                .extracting(Violation::rule)
                .containsExactly("is still named by cohorts/x");
        assertThat(ConfigurationRules.check(with(flavor), with()).violations()).isEmpty();
        assertThat(broken(owner)).isEmpty();
        assertThat(ConfigurationRules.check(
                                Configuration.EMPTY, with(owner, flavor, new DeviceClass("gpu", "example.com/gpu")))
                        .violations())
                .extracting(Violation::object, Violation::line, Violation::nearest)
                .containsExactly(
                        tuple("cohorts/x", new Violation.Line("h100", "example.com/gpu"), List.of("deviceclass/gpu")));
    }

    @Test
    void what_did_not_change_is_not_judged_again() {
        for (Object wrong : List.of(
                cohort("C", null),
                queue("Q", null),
                new LocalQueue("NS", "lq", "q", StopPolicy.NONE, Quantity.of(1)),
                new ResourceFlavor("F", Map.of(), List.of(), List.of(), null),
                new WorkloadPriorityClass("High", 1, ""))) {
            assertThat(broken(wrong)).as("%s", wrong).isNotEmpty();
            assertThat(ConfigurationRules.check(with(wrong), with(wrong)).violations())
                    .as("%s", wrong)
                    .isEmpty();
        }
    }

    @Test
    void two_cycles_are_told_apart_and_each_once() {
        Configuration crossed = with(
                cohort("a", "b"),
                cohort("b", "a"),
                cohort("c", "d"),
                cohort("d", "c"),
                cohort("leads-there", "a"),
                cohort("fine", "top"));

        assertThat(ConfigurationRules.check(Configuration.EMPTY, crossed).violations())
                .extracting(Violation::object, Violation::rule)
                .containsExactly(
                        tuple("cohorts/a", "must not close a cycle of cohorts: a → b → a"),
                        tuple("cohorts/c", "must not close a cycle of cohorts: c → d → c"));
        assertThat(ConfigurationRules.check(crossed, crossed).violations())
                .as("a cycle that was there is told at its first by name")
                .hasSize(2);
    }
}
