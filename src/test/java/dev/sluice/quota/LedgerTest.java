package dev.sluice.quota;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is used of a tree, and what can still be had. */
@Tag("core")
class LedgerTest {
    /** top owns nothing; mid owns nothing; a keeps 2 of its 4 to itself; b owns 3; c stands in top and owns 5. */
    private static ClusterBuilder nested() {
        return aCluster()
                .cohort(
                        "top",
                        top -> top.cohort(
                                        "mid",
                                        mid -> mid.queue(
                                                        "a",
                                                        queue -> queue.gpus(4).lendAtMost(2))
                                                .queue("b", queue -> queue.gpus(3)))
                                .queue("c", 5));
    }

    private final Ledger ledger = new Ledger(QuotaTree.of(nested().build()));
    private final QuotaTree tree = ledger.tree();
    private final int gpu = tree.line(FLAVOR, GPU);
    private final int a = tree.queue("a");
    private final int b = tree.queue("b");
    private final int c = tree.queue("c");
    private final int mid = tree.cohort("mid");
    private final int top = tree.cohort("top");

    private void used(long atA, long atMid, long atTop) {
        assertThat(new long[] {ledger.used(a, gpu), ledger.used(mid, gpu), ledger.used(top, gpu)})
                .containsExactly(atA, atMid, atTop);
    }

    @Test
    void only_what_goes_beyond_the_part_that_it_keeps_is_seen_above() {
        ledger.charge(a, gpu, 2);
        used(2, 0, 0);
        assertThat(ledger.localAvailable(a, gpu)).isZero();
        ledger.charge(a, gpu, 1);
        used(3, 1, 1);
        ledger.charge(a, gpu, 4);
        used(7, 5, 5);
        ledger.release(a, gpu, 4);
        used(3, 1, 1);
        ledger.release(a, gpu, 2);
        used(1, 0, 0);
        assertThat(ledger.localAvailable(a, gpu)).isEqualTo(1);
    }

    @Test
    void what_is_charged_in_one_step_over_the_edge_bubbles_up_by_the_rest_alone() {
        ledger.charge(a, gpu, 6);
        used(6, 4, 4);
        ledger.release(a, gpu, 6);
        used(0, 0, 0);
    }

    @Test
    void what_is_available_is_what_is_left_in_the_tree_and_what_is_kept() {
        assertThat(ledger.available(a, gpu)).as("2 kept, and 2 + 3 + 5 shared").isEqualTo(12);
        assertThat(ledger.available(b, gpu)).isEqualTo(10);
        assertThat(ledger.available(mid, gpu)).isEqualTo(10);
        ledger.charge(c, gpu, 9);
        assertThat(ledger.available(a, gpu)).isEqualTo(3);
        assertThat(ledger.available(b, gpu)).isEqualTo(1);
        ledger.charge(c, gpu, 3);
        assertThat(ledger.available(b, gpu)).as("the tree is over its quota").isEqualTo(-2);
        assertThat(ledger.availableToQueue(b, gpu)).isZero();
        assertThat(ledger.availableToQueue(a, gpu))
                .as("2 kept less 2 overdrawn")
                .isZero();
        ledger.release(c, gpu, 1);
        assertThat(ledger.availableToQueue(a, gpu)).isEqualTo(1);
    }

    @Test
    void a_borrowing_limit_counts_from_the_quota_that_it_lends() {
        Ledger limited = new Ledger(QuotaTree.of(aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "q",
                                        queue -> queue.gpus(4).borrowAtMost(3).lendAtMost(1))
                                .queue("rich", 100))
                .build()));
        int q = limited.tree().queue("q");

        assertThat(limited.available(q, 0)).as("4 and 3 borrowed").isEqualTo(7);
        limited.charge(q, 0, 2);
        assertThat(limited.available(q, 0)).isEqualTo(5);
        limited.charge(q, 0, 3);
        assertThat(limited.available(q, 0)).isEqualTo(2);
        limited.charge(q, 0, 2);
        assertThat(limited.available(q, 0)).isZero();
    }

    @Test
    void whoever_uses_more_than_its_quota_borrows() {
        ledger.charge(b, gpu, 3);
        assertThat(ledger.isBorrowing(b, gpu)).isFalse();
        assertThat(ledger.isWithinNominal(b, new int[] {gpu})).isTrue();
        assertThat(ledger.wouldBorrow(b, gpu, 0)).isFalse();
        assertThat(ledger.wouldBorrow(b, gpu, 1)).isTrue();
        ledger.charge(b, gpu, 1);
        assertThat(ledger.isBorrowing(b, gpu)).isTrue();
        assertThat(ledger.isWithinNominal(b, new int[] {gpu})).isFalse();
        assertThat(ledger.isBorrowing(mid, gpu)).isFalse();
    }

    @Test
    void the_level_of_borrowing_is_the_height_of_the_smallest_subtree_that_holds_it() {
        assertThat(ledger.lowestFitting(b, gpu, 3)).isEqualTo(new Ledger.Fitting(0, true));
        assertThat(ledger.lowestFitting(b, gpu, 4)).isEqualTo(new Ledger.Fitting(1, true));
        assertThat(ledger.lowestFitting(b, gpu, 5)).as("all that mid can lend").isEqualTo(new Ledger.Fitting(1, true));
        assertThat(ledger.lowestFitting(b, gpu, 6)).isEqualTo(new Ledger.Fitting(2, false));
        assertThat(ledger.lowestFitting(b, gpu, 100)).as("nothing holds it").isEqualTo(new Ledger.Fitting(2, false));
        assertThat(ledger.lowestFitting(a, gpu, 7)).as("2 kept and 5 of mid").isEqualTo(new Ledger.Fitting(1, true));
        assertThat(ledger.lowestFitting(a, gpu, 8)).isEqualTo(new Ledger.Fitting(2, false));
        Ledger alone = new Ledger(QuotaTree.of(aCluster().queue("q", 1).build()));
        assertThat(alone.lowestFitting(0, 0, 9)).isEqualTo(new Ledger.Fitting(0, false));
    }

    @Test
    void a_cohort_that_keeps_quota_to_itself_holds_that_much_of_what_is_borrowed() {
        Ledger kept = new Ledger(QuotaTree.of(aCluster()
                .cohort(
                        "top",
                        top -> top.cohort(
                                        "mid",
                                        mid -> mid.owns(own -> own.gpus(4).lendAtMost(1))
                                                .queue("q", 0))
                                .queue("c", 2))
                .build()));
        int q = kept.tree().queue("q");

        assertThat(kept.lowestFitting(q, 0, 4)).isEqualTo(new Ledger.Fitting(1, true));
        assertThat(kept.lowestFitting(q, 0, 6)).as("3 kept by mid, 3 of top").isEqualTo(new Ledger.Fitting(2, false));
        kept.charge(q, 0, 4);
        assertThat(kept.used(kept.tree().cohort("top"), 0)).isEqualTo(1);
        kept.release(q, 0, 4);
        assertThat(kept.used(kept.tree().cohort("top"), 0)).isZero();
    }

    @Test
    void a_saturated_amount_is_remembered_until_everything_is_cleared() {
        ledger.charge(a, gpu, 5);
        assertThat(ledger.sawSaturation()).isFalse();
        ledger.charge(a, gpu, Long.MAX_VALUE);
        assertThat(ledger.sawSaturation()).isTrue();
        long version = ledger.version();
        ledger.clear();
        assertThat(ledger.sawSaturation()).isFalse();
        assertThat(ledger.version()).isNotEqualTo(version);
        used(0, 0, 0);
        ledger.release(a, gpu, Long.MIN_VALUE + 1);
        ledger.clear();
        ledger.charge(a, gpu, Long.MIN_VALUE);
        assertThat(ledger.sawSaturation()).isTrue();
    }

    @Test
    void a_trial_puts_back_hundreds_of_changes_the_inner_one_its_own_alone() {
        ledger.charge(a, gpu, 3);
        try (Ledger.Trial outer = ledger.trial()) {
            ledger.charge(a, gpu, 1);
            try (Ledger.Trial inner = ledger.trial()) {
                for (int round = 0; round < 200; round++) {
                    ledger.charge(b, gpu, 1);
                }
                used(4, 202, 202);
                inner.rewind();
                used(4, 2, 2);
                ledger.charge(b, gpu, 1);
            }
            used(4, 2, 2);
            ledger.charge(c, gpu, 1);
            outer.rewind();
            used(3, 1, 1);
            ledger.charge(c, gpu, 1);
        }
        used(3, 1, 1);
        assertThat(ledger.used(c, gpu)).isZero();
        ledger.charge(c, gpu, 1);
        try (Ledger.Trial later = ledger.trial()) {
            later.rewind();
        }
        assertThat(ledger.used(c, gpu))
                .as("what was charged between trials stays")
                .isEqualTo(1);
    }
}
