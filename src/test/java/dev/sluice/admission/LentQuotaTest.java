package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.testkit.ClusterBuilder;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Of what is borrowed, how much is whose. */
@Tag("core")
class LentQuotaTest {
    private static Map<String, Long> lent(ClusterBuilder cluster, Map<String, Long> used) {
        Ledger ledger = new Ledger(QuotaTree.of(cluster.build()));
        QuotaTree tree = ledger.tree();
        used.forEach((queue, amount) -> ledger.charge(tree.queue(queue), 0, amount));
        long[] lent = new LentQuota(ledger).byQueueAndLine();
        Map<String, Long> byQueue = new TreeMap<>();
        for (int queue = 0; queue < tree.queueCount(); queue++) {
            if (lent[queue] != 0) {
                byQueue.put(tree.name(queue), lent[queue]);
            }
        }
        return byQueue;
    }

    private static ClusterBuilder flat() {
        return aCluster().cohort("lab", lab -> lab.queue("a", 6).queue("b", 2).queue("borrower", 0));
    }

    @Test
    void nobody_lends_what_nobody_borrows() {
        assertThat(lent(flat(), Map.of())).isEmpty();
        assertThat(lent(flat(), Map.of("a", 6L, "b", 2L))).isEmpty();
    }

    @Test
    void lenders_lend_in_proportion_to_what_they_have_unused() {
        assertThat(lent(flat(), Map.of("borrower", 4L))).isEqualTo(Map.of("a", 3L, "b", 1L));
        assertThat(lent(flat(), Map.of("borrower", 8L))).isEqualTo(Map.of("a", 6L, "b", 2L));
        assertThat(lent(flat(), Map.of("borrower", 2L, "a", 6L))).isEqualTo(Map.of("b", 2L));
    }

    @Test
    void parts_are_whole_and_add_up() {
        assertThat(lent(flat(), Map.of("borrower", 1L)).values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(1);
        assertThat(lent(flat(), Map.of("borrower", 5L)).values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(5);
    }

    @Test
    void more_than_there_is_is_lent_by_nobody() {
        assertThat(lent(flat(), Map.of("borrower", 50L))).isEqualTo(Map.of("a", 6L, "b", 2L));
    }

    @Test
    void what_a_queue_keeps_to_itself_it_does_not_lend() {
        ClusterBuilder keeping = aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue("a", queue -> queue.gpus(6).lendAtMost(2))
                                .queue("b", 2)
                                .queue("borrower", 0));

        assertThat(lent(keeping, Map.of("borrower", 2L))).isEqualTo(Map.of("a", 1L, "b", 1L));
        assertThat(lent(keeping, Map.of("borrower", 2L, "a", 5L)))
                .as("1 of the 2 that it would lend is used")
                .isEqualTo(Map.of("a", 1L, "b", 1L));
    }

    @Test
    void quota_of_the_cohort_itself_is_borrowed_before_anybodys() {
        ClusterBuilder owning = aCluster()
                .cohort("lab", lab -> lab.owns(own -> own.gpus(3)).queue("a", 6).queue("borrower", 0));

        assertThat(lent(owning, Map.of("borrower", 3L))).isEmpty();
        assertThat(lent(owning, Map.of("borrower", 4L))).isEqualTo(Map.of("a", 1L));
    }

    @Test
    void what_a_cohort_lends_outward_its_queues_lend() {
        ClusterBuilder nested = aCluster()
                .cohort(
                        "org",
                        org -> org.cohort("east", east -> east.queue("a", 4).queue("b", 4))
                                .cohort("west", west -> west.queue("w", 2).queue("borrower", 0)));

        assertThat(lent(nested, Map.of("borrower", 2L))).as("west has it").isEqualTo(Map.of("w", 2L));
        assertThat(lent(nested, Map.of("borrower", 6L))).isEqualTo(Map.of("a", 2L, "b", 2L, "w", 2L));
    }

    @Test
    void trees_do_not_lend_to_each_other() {
        ClusterBuilder two =
                flat().cohort("other", other -> other.queue("c", 9)).queue("alone", 5);

        assertThat(lent(two, Map.of("borrower", 8L, "alone", 5L))).isEqualTo(Map.of("a", 6L, "b", 2L));
    }
}
