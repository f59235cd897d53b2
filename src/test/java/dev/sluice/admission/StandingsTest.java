package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import dev.sluice.testkit.ClusterBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever stands first in the arrays is who comes first by precedence, however alike their shares are. */
@Tag("core")
class StandingsTest {
    private static final int ROWS = 60;
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    /** The last two differ by less than a double can tell. */
    private static final List<String> WEIGHTS =
            List.of("1", "2", "0.5", "0", "1", "1000000000000001", "1000000000000000");

    private final Ledger ledger = new Ledger(QuotaTree.of(aCluster()
            .cohort("lab", lab -> {
                for (int number = 0; number < WEIGHTS.size(); number++) {
                    String weight = WEIGHTS.get(number);
                    lab.queue(
                            "q" + number,
                            queue -> queue.quota("f", ClusterBuilder.GPU, "4").weighs(weight));
                }
            })
            .build()));

    private Precedence any(Random random, int row) {
        int queue = random.nextInt(WEIGHTS.size());
        int[] lines = {ledger.tree().line("f", ClusterBuilder.GPU)};
        Share share = Share.of(ledger, queue, lines, new long[] {random.nextInt(9)});
        TrackedWorkload head = new TrackedWorkload(
                aWorkload("w" + row).in("q").gpus(1).createdAt(NOON).build(), NOON.plusSeconds(random.nextInt(3)));
        return new Precedence(random.nextInt(5) > 0, share, random.nextInt(2), head.queuedAt, row, head);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void the_first_is_found_among_any_of_them(long seed) {
        Random random = new Random(seed);
        Standings standings = new Standings();
        Interned<Share> shares = new Interned<>(ROWS);
        List<Precedence> all = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
            Precedence one = any(random, row);
            all.add(one);
            standings.set(row, random.nextBoolean() ? one.sharing(shares) : one);
        }
        standings.remove(ROWS / 2);
        BitSet left = standings.hopeful();
        assertThat(left.cardinality()).isEqualTo(ROWS - 1);

        List<Precedence> inTurn = new ArrayList<>();
        for (int row = standings.first(left); row >= 0; row = standings.first(left)) {
            inTurn.add(standings.precedence(row));
            left.clear(row);
        }
        all.remove(ROWS / 2);
        assertThat(inTurn).isEqualTo(all.stream().sorted().toList());
    }
}
