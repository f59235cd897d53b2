package dev.sluice.quota;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is worked out of a ledger may be kept as long as its version is the same. */
@Tag("core")
class LedgerVersionTest {
    private final Ledger ledger = new Ledger(QuotaTree.of(
            aCluster().cohort("lab", lab -> lab.queue("a", 4).queue("b", 4)).build()));
    private final int line = ledger.tree().line(ClusterBuilder.FLAVOR, ClusterBuilder.GPU);
    private final int a = ledger.tree().queue("a");
    private final int b = ledger.tree().queue("b");

    @Test
    void a_trial_puts_the_version_back_with_what_it_changed() {
        long before = ledger.version();
        try (Ledger.Trial trial = ledger.trial()) {
            ledger.charge(a, line, 1);
            assertThat(ledger.version()).isNotEqualTo(before);
            trial.rewind();
            assertThat(ledger.version()).isEqualTo(before);
            ledger.charge(b, line, 1);
        }
        assertThat(ledger.version()).isEqualTo(before);
    }

    @Test
    void two_changes_from_the_same_version_have_versions_of_their_own() {
        long first;
        try (Ledger.Trial trial = ledger.trial()) {
            ledger.charge(a, line, 1);
            first = ledger.version();
            trial.rewind();
        }
        ledger.charge(b, line, 1);

        assertThat(ledger.version()).isNotEqualTo(first);
    }
}
