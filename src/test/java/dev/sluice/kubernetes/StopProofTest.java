package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.JobSnapshotBuilder.aSeenJob;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a stopped Job's pods are known to be gone. Statuses are told apart by a number. */
@Tag("core")
class StopProofTest {
    private static final long LATER = StopProof.PATIENCE.toNanos();

    @Test
    void a_status_that_changes_after_the_stop_is_the_controllers_answer() {
        StopProof proof =
                StopProof.from(stopped().version(10).status(1).pods(2, 2, 0).build(), 0);

        assertThat(proof.at(stopped().version(11).status(1).pods(2, 2, 0).build(), LATER))
                .isEqualTo(Proof.AWAITED);
        assertThat(proof.at(
                        stopped()
                                .version(12)
                                .status(2)
                                .looksStopped()
                                .pods(0, 0, 2)
                                .build(),
                        LATER))
                .as("pods are still ending")
                .isEqualTo(Proof.AWAITED);
        assertThat(proof.at(stopped().version(13).status(3).looksStopped().build(), LATER))
                .isEqualTo(Proof.ACKNOWLEDGED);
        proof.counted();
        assertThat(proof.at(stopped().version(14).status(3).looksStopped().build(), LATER))
                .isEqualTo(Proof.QUIET);
    }

    @Test
    void a_status_that_said_stopped_when_the_stop_was_made_proves_nothing_however_long_it_stays() {
        StopProof proof =
                StopProof.from(stopped().version(10).status(1).looksStopped().build(), 0);

        assertThat(proof.at(stopped().version(10).status(1).looksStopped().build(), LATER - 1))
                .isEqualTo(Proof.AWAITED);
        assertThat(proof.at(stopped().version(11).status(1).looksStopped().build(), 1000 * LATER))
                .isEqualTo(Proof.OVERDUE);
    }

    @Test
    void a_controller_that_was_asked_has_to_answer() {
        StopProof proof =
                StopProof.from(stopped().version(10).status(1).looksStopped().build(), 0);
        proof.asked(stopped().version(11).status(2).build(), LATER);

        assertThat(proof.at(stopped().version(11).status(2).build(), 1000 * LATER))
                .as("what Sluice itself wrote is no answer")
                .isEqualTo(Proof.AWAITED);
        assertThat(proof.at(stopped().version(12).status(1).looksStopped().build(), LATER))
                .isEqualTo(Proof.ACKNOWLEDGED);
    }

    @Test
    void a_job_that_is_about_to_end_of_itself_is_waited_for_even_if_none_of_its_pods_lives() {
        StopProof proof =
                StopProof.from(stopped().version(10).status(1).pods(1, 1, 0).build(), 0);

        assertThat(proof.at(
                        stopped().version(11).status(2).looksStopped().ending().build(), LATER))
                .isEqualTo(Proof.AWAITED);
        assertThat(proof.at(stopped().version(12).status(3).looksStopped().build(), LATER))
                .isEqualTo(Proof.ACKNOWLEDGED);
        proof.counted();
        assertThat(proof.at(
                        stopped().version(13).status(4).looksStopped().ending().build(), LATER))
                .as("it was on its way when the pods were listed")
                .isEqualTo(Proof.AWAITED);
    }

    @Test
    void a_change_by_somebody_else_takes_the_proof_away_and_a_change_by_sluice_does_not() {
        StopProof proof = StopProof.from(
                stopped().generation(3).version(10).status(1).pods(1, 1, 0).build(), 0);
        assertThat(proof.at(
                        stopped()
                                .generation(3)
                                .version(11)
                                .status(2)
                                .looksStopped()
                                .build(),
                        0))
                .isEqualTo(Proof.ACKNOWLEDGED);
        proof.counted();

        proof.carriedOver(
                stopped().generation(4).version(12).status(2).looksStopped().build());
        assertThat(proof.at(
                        stopped()
                                .generation(4)
                                .version(12)
                                .status(2)
                                .looksStopped()
                                .build(),
                        0))
                .isEqualTo(Proof.QUIET);

        assertThat(proof.at(
                        stopped()
                                .generation(6)
                                .version(15)
                                .status(2)
                                .looksStopped()
                                .build(),
                        0))
                .as("it may have run in between")
                .isEqualTo(Proof.AWAITED);
    }

    private static JobSnapshotBuilder stopped() {
        return aSeenJob().fence(2).marked(1);
    }
}
