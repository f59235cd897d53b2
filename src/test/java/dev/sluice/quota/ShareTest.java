package dev.sluice.quota;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What recorded vectors do not reach: exactness where doubles round, and weights at their limits. */
@Tag("core")
class ShareTest {
    private record Pair(Share a, Share b) {}

    /** Two queues with nothing of their own, beside one that lends. */
    private static Pair shares(String weightA, long usedA, String weightB, long usedB, String lendable) {
        return shares(weightA, usedA, weightB, usedB, lendable, ShareArithmetic.EXACT);
    }

    private static Pair shares(
            String weightA, long usedA, String weightB, long usedB, String lendable, ShareArithmetic arithmetic) {
        Configuration configuration = aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue("a", queue -> queue.gpus(0).weighs(weightA))
                                .queue("b", queue -> queue.gpus(0).weighs(weightB))
                                .queue("lender", queue -> queue.quota(ClusterBuilder.GPU, lendable)))
                .build();
        Ledger ledger = new Ledger(QuotaTree.of(configuration, arithmetic));
        int line = ledger.tree().line(ClusterBuilder.FLAVOR, ClusterBuilder.GPU);
        ledger.charge(ledger.tree().queue("a"), line, usedA);
        ledger.charge(ledger.tree().queue("b"), line, usedB);
        return new Pair(
                Share.of(ledger, ledger.tree().queue("a")),
                Share.of(ledger, ledger.tree().queue("b")));
    }

    @Test
    void shares_that_round_to_the_same_number_still_compare() {
        Pair shares = shares("10000000", 8, "10000000", 1, "8");

        assertThat(Stream.of(shares.a(), shares.b()).map(Share::rounded)).containsExactly(1L, 1L);
        assertThat(shares.a()).isGreaterThan(shares.b());
    }

    @Test
    void a_third_of_three_times_as_much_is_the_same_share() {
        for (long used : List.of(1L, 7L, 1_000_000_007L)) {
            Pair shares = shares("0.1", used, "0.3", 3 * used, "49000000000");

            assertThat(shares.a().compareTo(shares.b())).isZero();
            assertThat(shares.a()).isEqualTo(shares.b()).hasSameHashCodeAs(shares.b());
        }
    }

    /** A third through a tenth, and three thirds through three tenths: the same number, and not the same double. */
    @Test
    void as_doubles_equal_shares_may_differ_by_the_last_bit_and_unequal_ones_be_the_same() {
        Pair equal = shares("0.1", 1, "0.3", 3, "3", ShareArithmetic.DOUBLE);
        assertThat(equal.a().compareTo(equal.b()))
                .isEqualTo(Double.compare(1 * 1000.0 / 3 / 0.1, 3 * 1000.0 / 3 / 0.3))
                .isNegative();

        long most = 1L << 62;
        Pair unequal = shares("1", most - 1, "1", most, Long.toString(Long.MAX_VALUE - 1), ShareArithmetic.DOUBLE);
        assertThat(unequal.a()).isEqualTo(unequal.b()).hasSameHashCodeAs(unequal.b());
    }

    @Test
    void one_byte_in_what_doubles_cannot_tell_apart_decides() {
        long most = 1L << 62;
        for (String weight : List.of("1", "0.7")) {
            Pair shares = shares(weight, most - 1, weight, most, Long.toString(Long.MAX_VALUE - 1));
            assertThat(shares.a().value()).isEqualTo(shares.b().value());
            assertThat(shares.a()).isLessThan(shares.b());
        }
        Pair weighed = shares("2", 2 * (most - 2) - 1, "1", most - 2, Long.toString(Long.MAX_VALUE - 1));
        assertThat(weighed.a()).isLessThan(weighed.b());
    }

    @Test
    void weight_zero_ranks_above_all_that_borrow_and_among_itself_by_what_is_borrowed() {
        Pair one = shares("0", 1, "0.000000002", 7, "8");
        assertThat(one.a().isInfinite()).isTrue();
        assertThat(one.a().rounded()).isEqualTo(Long.MAX_VALUE);
        assertThat(one.a()).isGreaterThan(one.b());
        assertThat(one.b().rounded()).isEqualTo(437_500_000_000L);

        Pair both = shares("0", 3, "0", 2, "8");
        assertThat(both.a()).isGreaterThan(both.b());

        Pair idle = shares("0", 0, "1", 0, "8");
        assertThat(idle.a().compareTo(idle.b())).isZero();
        assertThat(idle.a().isBorrowing()).isFalse();
    }

    @Test
    void an_unlimited_lender_makes_every_share_as_good_as_nothing_but_not_nothing() {
        Pair shares = shares("1", 4, "1", 5, "9223372036854775807");

        assertThat(shares.a().rounded()).isEqualTo(1);
        assertThat(shares.a()).isLessThan(shares.b());
    }

    @Test
    void weights_of_queues_and_cohorts_come_from_the_configuration() {
        Configuration configuration = aCluster()
                .cohort(
                        "org",
                        org -> org.cohort(
                                        "east",
                                        east -> east.owns(own -> own.weighs("4"))
                                                .queue("a", queue -> queue.gpus(0)))
                                .queue("lender", 8))
                .build();
        Ledger ledger = new Ledger(QuotaTree.of(configuration));
        ledger.charge(ledger.tree().queue("a"), ledger.tree().line(ClusterBuilder.FLAVOR, ClusterBuilder.GPU), 4);

        assertThat(Share.of(ledger, ledger.tree().queue("a")).value()).isEqualTo(500);
        assertThat(Share.of(ledger, ledger.tree().cohort("east")).value()).isEqualTo(125);
        assertThat(Share.of(ledger, ledger.tree().cohort("org")).value()).isZero();
    }

    @Test
    void only_equal_shares_are_equal() {
        Pair shares = shares("1", 4, "1", 5, "8");

        assertThat(shares.a()).isNotEqualTo(shares.b()).isNotEqualTo("0");
    }

    @Test
    void the_dominant_resource_is_the_one_of_which_most_is_borrowed_the_first_by_name_among_equals() {
        Configuration configuration = aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue("a", queue -> queue.quota("x", "0").quota("y", "0"))
                                .queue("lender", queue -> queue.quota("x", "10").quota("y", "20")))
                .build();
        Ledger ledger = new Ledger(QuotaTree.of(configuration));
        int a = ledger.tree().queue("a");
        assertThat(Share.of(ledger, a).dominantResource()).isNull();

        ledger.charge(a, ledger.tree().line(ClusterBuilder.FLAVOR, "y"), 2);
        ledger.charge(a, ledger.tree().line(ClusterBuilder.FLAVOR, "x"), 1);
        assertThat(Share.of(ledger, a).dominantResource()).as("a tenth of each").isEqualTo("x");

        ledger.charge(a, ledger.tree().line(ClusterBuilder.FLAVOR, "y"), 1);
        assertThat(Share.of(ledger, a).dominantResource()).isEqualTo("y");
        assertThat(Share.of(ledger, a).rounded()).isEqualTo(150);
        assertThat(Share.of(ledger, a).value()).isEqualTo(150);
    }

    @Test
    void what_nobody_can_lend_is_borrowed_with_share_nothing() {
        Pair shares = shares("1", 4, "0", 5, "0");

        assertThat(shares.a().isBorrowing()).isTrue();
        assertThat(shares.a().rounded()).isZero();
        assertThat(shares.b().isInfinite()).isFalse();
    }

    @Test
    void a_share_that_does_not_divide_is_rounded_up() {
        assertThat(shares("1", 1, "1", 2, "3").a().rounded()).isEqualTo(334);
        assertThat(shares("1", 1, "1", 2, "4").a().rounded()).isEqualTo(250);
        assertThat(shares("1e-300", 1, "1", 2, "4").a().rounded()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void a_heavier_weight_makes_the_share_lighter() {
        Pair shares = shares("1", 4, "2", 5, "8");

        assertThat(shares.a().rounded()).isEqualTo(500);
        assertThat(shares.b().rounded()).isEqualTo(313);
        assertThat(shares.a()).isGreaterThan(shares.b());
        assertThat(shares.b()).isLessThan(shares.a());
    }

    @Test
    void who_borrows_nothing_has_share_nothing_whatever_its_weight() {
        Pair idle = shares("0", 0, "1", 0, "8");

        assertThat(idle.a().value()).isZero();
        assertThat(idle.a().rounded()).isZero();
    }

    @Test
    void a_root_borrows_of_nobody_even_over_its_quota() {
        Ledger ledger = new Ledger(QuotaTree.of(aCluster()
                .queue("alone", 1)
                .cohort("lab", lab -> lab.queue("q", 1))
                .build()));
        int line = ledger.tree().line(ClusterBuilder.FLAVOR, ClusterBuilder.GPU);
        ledger.charge(ledger.tree().queue("alone"), line, 5);
        ledger.charge(ledger.tree().queue("q"), line, 5);

        assertThat(Share.of(ledger, ledger.tree().queue("alone")).isBorrowing()).isFalse();
        assertThat(Share.of(ledger, ledger.tree().cohort("lab")).value()).isZero();
    }

    @Test
    void a_queue_that_is_gone_weighs_one() {
        QuotaLine gpu = new QuotaLine(ClusterBuilder.FLAVOR, ClusterBuilder.GPU);
        Ledger ledger = new Ledger(QuotaTree.of(
                aCluster().cohort("lab", lab -> lab.queue("lender", 8)).build(),
                Map.of("gone", Set.of(gpu)),
                Map.of("gone", "lab"),
                ShareArithmetic.EXACT));
        ledger.charge(ledger.tree().queue("gone"), 0, 2);

        assertThat(Share.of(ledger, ledger.tree().queue("gone")).rounded()).isEqualTo(250);
    }
}
