package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.Ledger;
import dev.sluice.testkit.EngineStory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: only the matches that a turn can have changed are held again, and the outcome is that of a whole new tournament. Method: random
 * worlds; each winner is charged, sometimes a holder of another queue leaves, and the next winner must be the one of a tournament held anew.
 */
@Tag("core")
class FairTurnsTest {
    private static final int WORLDS = 400;

    @Test
    void every_turn_goes_to_the_winner_of_a_tournament_held_anew() {
        int turnsInAll = 0;
        for (long seed = 1; seed <= WORLDS; seed++) {
            RandomWorlds worlds = new RandomWorlds(seed);
            EngineStory story = EngineStory.on(
                    worlds.cluster(true).build(), AdmissionSettings.defaults().with(FairSharing.ON));
            for (int number = 0; number < 12; number++) {
                story.submit(worlds.workload("w" + number));
            }
            for (TreeState tree : story.engine().roster().trees()) {
                turnsInAll += play(story.engine().roster(), tree, worlds.random(), seed);
            }
        }
        assertThat(turnsInAll).isGreaterThan(WORLDS);
    }

    private static int play(Roster roster, TreeState tree, Random random, long seed) {
        Ledger ledger = roster.promised();
        List<Entry> left = entries(roster, tree);
        FairTurns turns = new FairTurns(left, tree.root, ledger);
        int count = 0;
        for (Entry entry = turns.next(); entry != null; entry = turns.next()) {
            count++;
            assertThat(entry.head).as("seed %s turn %s", seed, count).isEqualTo(anew(left, tree, ledger));
            left.remove(entry);
            if (random.nextBoolean()) {
                entry.nomination.charge().addTo(ledger);
            }
            TrackedWorkload leaving = anyHolder(tree, random);
            if (leaving != null && random.nextInt(3) == 0) {
                leaving.chargeOrThrow().removeFrom(ledger);
                roster.queue(leaving.chargeOrThrow().queue()).removeHolder(leaving);
                turns.moved(leaving.chargeOrThrow().queue());
            }
        }
        assertThat(left).as("seed %s: everybody had a turn", seed).isEmpty();
        return count;
    }

    private static TrackedWorkload anew(List<Entry> left, TreeState tree, Ledger ledger) {
        return Objects.requireNonNull(new FairTurns(left, tree.root, ledger).next()).head;
    }

    private static List<Entry> entries(Roster roster, TreeState tree) {
        VictimSearch search = VictimSearch.of(
                roster.promised(),
                roster::queue,
                roster.settings,
                new Protection(candidate -> false, roster.settings.victimChoice(), roster.now()));
        Nominator nominator = new Nominator(roster.promised(), search, roster.settings);
        List<Entry> entries = new ArrayList<>();
        for (QueueState queue : tree.queues) {
            for (TrackedWorkload one : queue.waiting) {
                Lane lane = one.lane;
                if (lane != null && entries.stream().noneMatch(entry -> entry.queue.equals(queue))) {
                    PreparedRequest request =
                            new PreparedRequest(queue.compiled, roster.world().feasibility(), one.podSets());
                    entries.add(new Entry(queue, one, lane, nominator.nominate(one, request, null, null)));
                }
            }
        }
        return entries;
    }

    private static @Nullable TrackedWorkload anyHolder(TreeState tree, Random random) {
        List<TrackedWorkload> holders = new ArrayList<>();
        tree.queues.forEach(queue -> holders.addAll(queue.holders.all));
        return holders.isEmpty() ? null : holders.get(random.nextInt(holders.size()));
    }
}
