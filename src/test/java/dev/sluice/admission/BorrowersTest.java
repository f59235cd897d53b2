package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.Ledger;
import dev.sluice.simulation.RandomWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is known of a queue without looking into it, once something got free elsewhere: whoever starts there comes no earlier than told, and
 * where nobody is told nobody starts.
 */
@Tag("core")
class BorrowersTest {
    private static final int WORLDS = 40;
    private static final OrderKeeping QUICK_GUARD = new OrderKeeping(true, Duration.ofSeconds(5));

    private int nobody;
    private int exactly;
    private int later;

    @ParameterizedTest
    @ValueSource(longs = {0, 1000, 2000, 20030})
    void nobody_starts_earlier_than_told(long seed) {
        AdmissionSettings settings = AdmissionSettings.defaults().with(FairSharing.ON);
        for (long world = seed; world < seed + WORLDS; world++) {
            live(world, settings);
            live(world, settings.with(QUICK_GUARD));
        }
        assertThat(exactly).as("told exactly").isGreaterThan(25);
        assertThat(later).as("somebody came later than told").isPositive();
        assertThat(nobody).as("told that nobody starts").isGreaterThan(100);
    }

    private void live(long world, AdmissionSettings settings) {
        Random random = RandomWorld.chanceOf(world);
        Engine engine = new Engine(settings);
        RandomLives.live(engine, world, step -> {
            for (TreeState tree : List.copyOf(engine.roster().trees())) {
                if (HighestShare.comparesAllBelow(engine.roster().promised().tree(), tree.root)) {
                    freeSomething(engine.roster(), tree, random);
                }
            }
        });
    }

    private void freeSomething(Roster roster, TreeState tree, Random random) {
        List<TrackedWorkload> holders = new ArrayList<>();
        tree.queues.forEach(queue -> holders.addAll(queue.holders.all));
        Waking waking = new Waking(roster, tree);
        waking.outsideOfNow();
        if (holders.isEmpty()) {
            return;
        }
        Charge freed = holders.get(random.nextInt(holders.size())).chargeOrThrow();
        try (Ledger.Trial trial = roster.promised().trial()) {
            freed.removeFrom(roster.promised());
            Outside now = waking.outsideOfNow();
            Map<QueueState, Precedence> told =
                    told(tree.borrowers(roster.promised().tree()), now);
            for (QueueState queue : tree.queues) {
                if (queue.node() != freed.queue() && tree.parked.mayBorrow(queue, now)) {
                    compare(told.get(queue), waking.look(queue, now), queue);
                }
            }
            trial.rewind();
        }
    }

    private static Map<QueueState, Precedence> told(Borrowers borrowers, Outside now) {
        Map<QueueState, Precedence> told = new HashMap<>();
        Borrowers.Turns turns = borrowers.turns(now);
        Precedence before = null;
        for (QueueState queue = turns.queue(); queue != null; queue = turns.queue()) {
            Precedence next = Objects.requireNonNull(turns.precedence());
            assertThat(before == null || before.compareTo(next) <= 0)
                    .as("turns come in order")
                    .isTrue();
            told.put(queue, next);
            turns.remove(queue.node());
            before = next;
        }
        return told;
    }

    private void compare(@Nullable Precedence told, @Nullable Startable found, QueueState queue) {
        if (told == null) {
            assertThat(found).as("nobody was told of %s", queue.name()).isNull();
            nobody++;
        } else if (found != null) {
            int order = found.precedenceOrThrow().compareTo(told);
            assertThat(order).as("%s comes earlier than told", queue.name()).isNotNegative();
            exactly += order == 0 ? 1 : 0;
            later += order > 0 ? 1 : 0;
        }
    }
}
