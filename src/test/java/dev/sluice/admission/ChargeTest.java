package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What one workload costs: two lines of a queue that owns 4 GPUs and 2 cores beside one that lends as much. */
@Tag("core")
class ChargeTest {
    private final Ledger ledger = new Ledger(QuotaTree.of(aCluster()
            .cohort(
                    "lab",
                    lab -> lab.queue(
                                    "q",
                                    queue -> queue.gpus(4).quota("cpu", "2").quota("memory", "8"))
                            .queue("lender", queue -> queue.gpus(4).quota("cpu", "2")))
            .build()));
    private final QuotaTree tree = ledger.tree();
    private final int q = tree.queue("q");
    private final int gpu = tree.line(FLAVOR, GPU);
    private final int cpu = tree.line(FLAVOR, "cpu");
    private final int memory = tree.line(FLAVOR, "memory");

    private Charge of(long gpus, long millis) {
        return Charge.of(q, new TreeMap<>(Map.of(gpu, gpus, cpu, millis)));
    }

    private static PodSetAssignment podSet(String name, int count, long gpus) {
        return new PodSetAssignment(name, count, new TreeMap<>(Map.of(GPU, FLAVOR)), new TreeMap<>(Map.of(GPU, gpus)));
    }

    @Test
    void pod_sets_of_one_flavor_are_charged_to_one_line_together() {
        Charge charge =
                Charge.of(new Assignment("q", List.of(podSet("driver", 1, 1), podSet("workers", 3, 3)), false), tree);

        assertThat(charge.queue()).isEqualTo(q);
        assertThat(charge.lines()).containsExactly(gpu);
        assertThat(charge.amounts()).containsExactly(4);
    }

    @Test
    void what_is_added_can_be_taken_away_again() {
        Charge charge = of(3, 500);
        charge.addTo(ledger);
        assertThat(ledger.used(q, gpu)).isEqualTo(3);
        assertThat(ledger.used(q, cpu)).isEqualTo(500);
        charge.removeFrom(ledger);
        assertThat(ledger.used(q, gpu)).isZero();
        assertThat(ledger.used(q, cpu)).isZero();
        long version = ledger.version();
        of(0, 0).addTo(ledger);
        of(0, 0).removeFrom(ledger);
        assertThat(ledger.version()).as("nothing changes nothing").isEqualTo(version);
    }

    @Test
    void it_fits_if_every_line_does_to_the_last_unit() {
        assertThat(of(8, 4000).fits(ledger)).isTrue();
        assertThat(of(9, 4000).fits(ledger)).isFalse();
        assertThat(of(8, 4001).fits(ledger)).isFalse();
    }

    @Test
    void it_borrows_if_any_line_is_more_than_the_queue_owns() {
        assertThat(of(4, 2000).wouldBorrow(ledger)).isFalse();
        assertThat(of(5, 2000).wouldBorrow(ledger)).isTrue();
        assertThat(of(4, 2001).wouldBorrow(ledger)).isTrue();
    }

    @Test
    void a_node_borrows_for_it_only_on_lines_that_it_asks_for() {
        ledger.charge(q, gpu, 5);
        assertThat(of(1, 0).isBorrowedAt(ledger, q)).isTrue();
        assertThat(of(0, 1).isBorrowedAt(ledger, q)).isFalse();
        ledger.release(q, gpu, 1);
        assertThat(of(1, 0).isBorrowedAt(ledger, q)).isFalse();
    }

    @Test
    void it_frees_something_if_it_is_less_on_any_line() {
        Charge before = of(4, 2000);

        assertThat(of(4, 2000).frees(before)).isFalse();
        assertThat(of(5, 2000).frees(before)).isFalse();
        assertThat(of(3, 9000).frees(before)).isTrue();
        assertThat(of(4, 1999).frees(before)).isTrue();
    }

    @Test
    void its_lines_are_found_by_number() {
        Charge charge = of(0, 7);

        assertThat(charge.amount(cpu)).isEqualTo(7);
        assertThat(charge.amount(memory)).isZero();
        assertThat(charge.uses(new int[] {memory, gpu}))
                .as("a line of nothing is a line")
                .isTrue();
        assertThat(charge.uses(new int[] {memory})).isFalse();
        assertThat(charge.uses(new int[] {})).isFalse();
        assertThat(Charge.of(q, new TreeMap<>(Map.of(Math.min(gpu, cpu), 1L))).uses(new int[] {Math.min(gpu, cpu)}))
                .as("the first line is one as well")
                .isTrue();
    }
}
