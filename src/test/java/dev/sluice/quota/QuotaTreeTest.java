package dev.sluice.quota;

import static dev.sluice.quota.Amounts.UNLIMITED;
import static dev.sluice.quota.Configurations.cohort;
import static dev.sluice.quota.Configurations.with;
import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is configured of a tree of cohorts, and what follows of it while nothing is used. */
@Tag("core")
class QuotaTreeTest {
    /** org owns 2; east (in org) owns nothing and lends at most 5; a and b stand in east, c in org. */
    private final QuotaTree tree = QuotaTree.of(aCluster()
            .cohort(
                    "org",
                    org -> org.owns(own -> own.gpus(2))
                            .cohort(
                                    "east",
                                    east -> east.owns(own -> own.gpus(0).lendAtMost(5))
                                            .queue("a", queue -> queue.gpus(4).lendAtMost(3))
                                            .queue("b", queue -> queue.gpus(6).borrowAtMost(1)))
                            .queue("c", 1))
            .queue("alone", queue -> queue.gpus(9))
            .build());

    private final int gpu = tree.line(FLAVOR, GPU);
    private final int org = tree.cohort("org");
    private final int east = tree.cohort("east");
    private final int a = tree.queue("a");
    private final int b = tree.queue("b");
    private final int c = tree.queue("c");
    private final int alone = tree.queue("alone");

    @Test
    void a_node_shows_its_parent_what_it_does_not_keep_to_itself() {
        assertThat(tree.localQuota(a, gpu)).as("kept by a").isEqualTo(1);
        assertThat(tree.localQuota(b, gpu)).as("b keeps nothing").isZero();
        assertThat(tree.subtreeQuota(east, gpu)).as("3 of a and 6 of b").isEqualTo(9);
        assertThat(tree.localQuota(east, gpu)).as("east lends 5 of 9").isEqualTo(4);
        assertThat(tree.subtreeQuota(org, gpu))
                .as("2 of its own, 5 of east, 1 of c")
                .isEqualTo(8);
        assertThat(tree.nominal(org, gpu)).isEqualTo(2);
        assertThat(tree.borrowingLimit(b, gpu)).isEqualTo(1);
        assertThat(tree.borrowingLimit(a, gpu)).isEqualTo(UNLIMITED);
    }

    @Test
    void in_an_empty_tree_everybody_can_use_what_is_lent_as_far_as_limits_allow() {
        assertThat(tree.potential(org, gpu)).isEqualTo(8);
        assertThat(tree.potential(east, gpu)).as("4 of its own and 8 of org").isEqualTo(12);
        assertThat(tree.potential(a, gpu)).isEqualTo(13);
        assertThat(tree.potential(b, gpu)).as("6 and 1 borrowed").isEqualTo(7);
        assertThat(tree.potential(c, gpu)).isEqualTo(8);
        assertThat(tree.potential(alone, gpu)).isEqualTo(9);
        assertThat(tree.lendable(org, 0)).isEqualTo(8);
        assertThat(tree.lendable(east, 0)).isEqualTo(12);
    }

    @Test
    void what_can_be_lent_of_a_resource_is_the_sum_over_its_flavors() {
        QuotaTree two = QuotaTree.of(aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "q",
                                        queue -> queue.quota("new", GPU, "4")
                                                .quota("new", "cpu", "1")
                                                .quota("old", GPU, "3")
                                                .quota("old", "cpu", "2"))
                                .queue("r", queue -> queue.quota("old", "cpu", "0")))
                .build());

        assertThat(two.resource(0)).isEqualTo("cpu");
        assertThat(two.resource(1)).isEqualTo(GPU);
        assertThat(two.lendable(two.cohort("lab"), 0))
                .as("in thousandths of a cpu")
                .isEqualTo(3000);
        assertThat(two.lendable(two.cohort("lab"), 1)).isEqualTo(7);
        assertThat(two.listedLines(two.queue("q")))
                .as("by resource, then by flavor")
                .containsExactly(
                        two.line("new", "cpu"), two.line("old", "cpu"), two.line("new", GPU), two.line("old", GPU));
        assertThat(two.listedLines(two.queue("r"))).containsExactly(two.line("old", "cpu"));
    }

    @Test
    void a_cohort_that_is_only_named_is_there_without_quota_of_its_own() {
        QuotaTree implicit = QuotaTree.of(with(
                Configurations.queue(
                        "q", "named", Configurations.group("f", Configurations.line("cpu", "1", null, null))),
                Configurations.queue("r", "named"),
                cohort("child", "parent")));

        assertThat(implicit.lowestCommon(implicit.queue("q"), implicit.queue("r")))
                .isEqualTo(implicit.cohort("named"));
        assertThat(implicit.potential(implicit.queue("r"), 0)).isEqualTo(1000);
        assertThat(implicit.parent(implicit.cohort("child"))).isEqualTo(implicit.cohort("parent"));
        assertThat(implicit.hasParent(implicit.cohort("parent"))).isFalse();
    }

    @Test
    void what_a_group_covers_is_a_line_of_each_of_its_flavors_and_so_is_what_a_flavor_lists_besides() {
        QuotaTree odd = QuotaTree.of(with(
                Configurations.queue("a", null),
                Configurations.queue(
                        "q",
                        null,
                        new ResourceGroup(
                                List.of("cpu", "memory"),
                                List.of(new FlavorQuotas(
                                        "f",
                                        List.of(
                                                Configurations.line("cpu", "1", null, null),
                                                Configurations.line("extra", "2", null, null)))))),
                new Cohort(
                        "owner",
                        null,
                        List.of(Configurations.group("g", Configurations.line("own", "3", null, null))),
                        Quantity.of(1))));
        int q = odd.queue("q");

        assertThat(odd.lists(q, odd.line("f", "memory"))).isTrue();
        assertThat(odd.nominal(q, odd.line("f", "memory"))).isZero();
        assertThat(odd.nominal(q, odd.line("f", "extra"))).isEqualTo(2);
        assertThat(odd.nominal(odd.cohort("owner"), odd.line("g", "own"))).isEqualTo(3);
        assertThat(odd.lists(odd.queue("a"), odd.line("f", "memory"))).isFalse();
    }

    @Test
    void heights_are_the_longest_way_down() {
        assertThat(tree.height(a)).isZero();
        assertThat(tree.height(east)).isEqualTo(1);
        assertThat(tree.height(org)).isEqualTo(2);
        QuotaTree childless = QuotaTree.of(with(cohort("top", null), cohort("bottom", "top")));
        assertThat(childless.height(childless.cohort("bottom"))).isZero();
        assertThat(childless.height(childless.cohort("top"))).isEqualTo(1);
        QuotaTree deepFirst = QuotaTree.of(aCluster()
                .cohort(
                        "top",
                        top -> top.cohort("a", deep -> deep.cohort("b", inner -> inner.queue("q", 1)))
                                .cohort("z", flat -> flat.queue("r", 1)))
                .build());
        assertThat(deepFirst.height(deepFirst.cohort("top"))).isEqualTo(3);
    }

    @Test
    void ancestors_are_found_from_either_side() {
        assertThat(tree.lowestCommon(a, b)).isEqualTo(east);
        assertThat(tree.lowestCommon(a, c)).isEqualTo(org);
        assertThat(tree.lowestCommon(c, a)).isEqualTo(org);
        assertThat(tree.lowestCommon(a, east)).isEqualTo(east);
        assertThat(tree.lowestCommon(a, a)).isEqualTo(a);
        assertThat(tree.lowestCommon(a, alone)).isEqualTo(QuotaTree.NONE);
        assertThat(tree.childToward(org, a)).isEqualTo(east);
        assertThat(tree.childToward(east, a)).isEqualTo(a);
        assertThat(tree.root(a)).isEqualTo(org);
        assertThat(tree.root(alone)).isEqualTo(alone);
        assertThat(tree.parent(east)).isEqualTo(org);
        assertThat(tree.hasParent(org)).isFalse();
        assertThat(tree.hasParent(east)).isTrue();
    }

    @Test
    void queues_and_cohorts_are_numbered_by_name_queues_first() {
        assertThat(tree.queueCount()).isEqualTo(4);
        assertThat(tree.nodeCount()).isEqualTo(6);
        assertThat(tree.lineCount()).isEqualTo(1);
        assertThat(java.util.stream.IntStream.range(0, 6).mapToObj(tree::name))
                .containsExactly("a", "alone", "b", "c", "east", "org");
        assertThat(tree.isQueue(3)).isTrue();
        assertThat(tree.isQueue(4)).isFalse();
        assertThat(tree.childQueues(east)).containsExactly(a, b);
        assertThat(tree.childCohorts(org)).containsExactly(east);
        assertThat(tree.childQueues(org)).containsExactly(c);
        assertThat(tree.cohortOf(a)).isEqualTo("east");
        assertThat(tree.cohortOf(alone)).isNull();
    }

    @Test
    void what_nobody_configured_has_no_number() {
        assertThat(tree.queue("nobody")).isEqualTo(QuotaTree.NONE);
        assertThat(tree.cohort("nobody")).isEqualTo(QuotaTree.NONE);
        assertThat(tree.line("nobody", GPU)).isEqualTo(QuotaTree.NONE);
        assertThat(tree.line(gpu)).isEqualTo(new QuotaLine(FLAVOR, GPU));
    }

    @Test
    void cohorts_that_are_each_others_ancestors_and_all_below_them_stand_alone() {
        QuotaTree cyclic = QuotaTree.of(with(
                cohort("x", "y"),
                cohort("y", "x"),
                cohort("below", "x"),
                cohort("self", "self"),
                cohort("top", null),
                cohort("fine", "top"),
                Configurations.queue("q", "below")));

        for (String name : new String[] {"x", "y", "below", "self"}) {
            assertThat(cyclic.isCyclic(cyclic.cohort(name))).as(name).isTrue();
            assertThat(cyclic.hasParent(cyclic.cohort(name))).as(name).isFalse();
        }
        assertThat(cyclic.isCyclic(cyclic.queue("q"))).isTrue();
        assertThat(cyclic.isCyclic(cyclic.cohort("fine"))).isFalse();
        assertThat(cyclic.parent(cyclic.cohort("fine"))).isEqualTo(cyclic.cohort("top"));
    }

    @Test
    void the_longest_way_to_a_root_is_no_cycle() {
        QuotaTree chain = QuotaTree.of(with(cohort("a", "b"), cohort("b", "c"), cohort("c", "d"), cohort("d", null)));

        assertThat(chain.isCyclic(chain.cohort("a"))).isFalse();
        assertThat(chain.root(chain.cohort("a"))).isEqualTo(chain.cohort("d"));
        assertThat(chain.height(chain.cohort("d"))).isEqualTo(3);
    }

    @Test
    void a_node_lists_the_lines_of_all_below_it_and_what_was_charged_to_them() {
        QuotaLine gone = new QuotaLine("retired", GPU);
        QuotaTree charged = QuotaTree.of(
                aCluster()
                        .cohort(
                                "lab",
                                lab -> lab.queue("r", queue -> queue.quota("cpu", "0"))
                                        .queue("s", 4))
                        .build(),
                Map.of("s", Set.of(gone)),
                Map.of(),
                ShareArithmetic.EXACT);
        int line = charged.line("retired", GPU);
        int cpu = charged.line(FLAVOR, "cpu");

        assertThat(charged.lists(charged.queue("s"), line)).isTrue();
        assertThat(charged.lists(charged.cohort("lab"), line)).isTrue();
        assertThat(charged.lists(charged.queue("r"), line)).isFalse();
        assertThat(charged.lists(charged.queue("r"), cpu))
                .as("a quota of 0 is one")
                .isTrue();
        assertThat(charged.nominal(charged.queue("s"), line)).isZero();
    }

    @Test
    void a_queue_that_is_gone_keeps_its_place_with_no_quota() {
        QuotaTree retired = QuotaTree.of(
                aCluster().cohort("lab", lab -> lab.queue("q", 4)).build(),
                Map.of("gone", Set.of(new QuotaLine(FLAVOR, GPU))),
                Map.of("gone", "lab", "lonely", "", "elsewhere", "implicit"),
                ShareArithmetic.EXACT);

        assertThat(retired.cohortOf(retired.queue("gone"))).isEqualTo("lab");
        assertThat(retired.cohortOf(retired.queue("lonely"))).isNull();
        assertThat(retired.cohortOf(retired.queue("elsewhere"))).isEqualTo("implicit");
        assertThat(retired.subtreeQuota(retired.cohort("lab"), 0)).isEqualTo(4);
        assertThat(retired.potential(retired.queue("gone"), 0)).isEqualTo(4);
    }
}
