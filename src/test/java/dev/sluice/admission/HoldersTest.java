package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.Share;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom a preemptor of another queue takes first is always who comes out first if all holders are sorted anew. */
@Tag("core")
class HoldersTest {
    private static final int WORLDS = 60;
    /** No queue has it, so nobody is of the preemptor's own. */
    private static final int ANOTHER_QUEUE = -1;

    @ParameterizedTest
    @ValueSource(longs = {1, 1001, 2001})
    void the_first_taken_is_known_while_holders_come_and_go(long seed) {
        AdmissionSettings settings = AdmissionSettings.defaults().with(FairSharing.ON);
        CandidateOrder order = new CandidateOrder(settings);
        AtomicInteger compared = new AtomicInteger();
        for (long world = seed; world < seed + WORLDS; world++) {
            Engine engine = new Engine(settings);
            String name = "world " + world;
            RandomLives.live(engine, world, step -> {
                for (QueueState queue : engine.roster().queues()) {
                    List<TrackedWorkload> sorted = new ArrayList<>(queue.holders.all);
                    sorted.sort(order.seenFrom(ANOTHER_QUEUE));
                    CandidateOrder.Place first = queue.holders.firstTaken(order);
                    assertThat(first)
                            .as("%s, step %d, queue %s", name, step, queue.name())
                            .isEqualTo(sorted.isEmpty() ? null : order.placeOf(sorted.getFirst()));
                    compared.addAndGet(sorted.size() > 1 ? 1 : 0);
                }
            });
        }
        assertThat(compared.get()).as("queues with several holders").isGreaterThan(1_000);
    }

    @Test
    void no_queue_keeps_a_higher_share_than_told_whoever_goes() {
        int told = 0;
        for (long world = 1; world <= WORLDS; world++) {
            Engine engine = new Engine(AdmissionSettings.defaults().with(FairSharing.ON));
            AtomicInteger lower = new AtomicInteger();
            RandomLives.live(engine, world, step -> {
                Ledger promised = engine.roster().promised();
                for (QueueState queue : engine.roster().queues()) {
                    Share most = queue.holders.mostWithoutOne(promised, queue.node());
                    lower.addAndGet(most.compareTo(Share.of(promised, queue.node())) < 0 ? 1 : 0);
                    for (TrackedWorkload one : queue.holders.all) {
                        assertThat(one.chargeOrThrow().shareWithout(promised)).isLessThanOrEqualTo(most);
                    }
                }
            });
            told += lower.get();
        }
        assertThat(told).as("queues that would fall").isGreaterThan(500);
    }

    @Test
    void places_compare_as_those_do_whose_they_are() {
        AdmissionSettings settings = AdmissionSettings.defaults();
        CandidateOrder order = new CandidateOrder(settings);
        int several = 0;
        for (long world = 1; world <= WORLDS; world++) {
            Engine engine = new Engine(settings);
            RandomLives.live(engine, world, step -> {});
            List<TrackedWorkload> charged = new ArrayList<>();
            engine.roster().everybody().forEach(one -> {
                if (one.charge != null) {
                    charged.add(one);
                }
            });
            List<TrackedWorkload> byPlace = new ArrayList<>(charged);
            byPlace.sort(Comparator.comparing(order::placeOf));
            charged.sort(order.seenFrom(ANOTHER_QUEUE));
            assertThat(byPlace).as("world %d", world).isEqualTo(charged);
            several += charged.size() > 3 ? 1 : 0;
        }
        assertThat(several).isGreaterThan(10);
    }
}
