package dev.sluice.quota;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who borrows most is always what working out every share anew would say, whatever was charged, released and tried meanwhile. */
@Tag("core")
class ShareRankingTest {
    private static final int STEPS = 300;
    private static final int CPU_OF_ALL = 40;

    private static Ledger twoCohorts() {
        return new Ledger(QuotaTree.of(aCluster()
                .cohort(
                        "org",
                        org -> org.cohort("lab", lab -> queues(lab, "lab"))
                                .cohort("shop", shop -> queues(shop, "shop")))
                .build()));
    }

    private static void queues(ClusterBuilder.CohortBuilder cohort, String name) {
        for (int number = 0; number < 5; number++) {
            String weight = List.of("1", "2", "0.5", "0", "1").get(number);
            cohort.queue(
                    name + number,
                    queue -> queue.quota("f", ClusterBuilder.GPU, "4")
                            .quota("f", "cpu", String.valueOf(CPU_OF_ALL))
                            .weighs(weight));
        }
    }

    private static List<Integer> ranked(Ledger ledger, int cohort) {
        List<Integer> queues = new ArrayList<>();
        Iterator<ShareRanking.Ranked> all = ledger.shareRanking().after(cohort, null);
        while (all.hasNext()) {
            ShareRanking.Ranked next = all.next();
            queues.add(next.queue());
            // Whoever comes back later goes on where it was.
            Iterator<ShareRanking.Ranked> rest = ledger.shareRanking().after(cohort, next);
            assertThat(rest.hasNext()).isEqualTo(all.hasNext());
        }
        return queues;
    }

    private static List<Integer> workedOut(Ledger ledger, int cohort) {
        return Arrays.stream(ledger.tree().childQueues(cohort))
                .boxed()
                .filter(queue -> Share.of(ledger, queue).isBorrowing())
                .sorted(Comparator.comparing((Integer queue) -> Share.of(ledger, queue))
                        .reversed()
                        .thenComparing(queue -> queue))
                .toList();
    }

    private static int onlyBorrowed(Ledger ledger, int cohort) {
        TreeSet<Integer> resources = new TreeSet<>();
        for (int queue : ledger.tree().childQueues(cohort)) {
            for (int line : ledger.tree().listedLines(queue)) {
                if (ledger.isBorrowing(queue, line)) {
                    resources.add(ledger.tree().resourceOf(line));
                }
            }
        }
        return resources.isEmpty() ? QuotaTree.NONE : resources.size() > 1 ? ShareRanking.SEVERAL : resources.first();
    }

    private static void isAsWorkedOut(Ledger ledger) {
        for (String cohort : List.of("lab", "shop")) {
            int node = ledger.tree().cohort(cohort);
            assertThat(ranked(ledger, node)).isEqualTo(workedOut(ledger, node));
            assertThat(ledger.shareRanking().onlyBorrowed(node)).isEqualTo(onlyBorrowed(ledger, node));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void it_follows_the_ledger(long seed) {
        Random random = new Random(seed);
        Ledger ledger = twoCohorts();
        for (int step = 0; step < STEPS; step++) {
            change(ledger, random);
            if (random.nextInt(3) == 0) {
                try (Ledger.Trial trial = ledger.trial()) {
                    change(ledger, random);
                    if (random.nextBoolean()) {
                        isAsWorkedOut(ledger);
                    }
                    trial.rewind();
                    isAsWorkedOut(ledger);
                    change(ledger, random);
                }
            }
            if (random.nextInt(4) == 0) {
                isAsWorkedOut(ledger);
            }
            if (random.nextInt(100) == 0) {
                ledger.clear();
            }
        }
        isAsWorkedOut(ledger);
    }

    private static void change(Ledger ledger, Random random) {
        int queue = random.nextInt(ledger.tree().queueCount());
        int line = random.nextInt(ledger.tree().lineCount());
        long amount =
                1 + random.nextInt(6) * (ledger.tree().line(line).resource().equals("cpu") ? 8L : 1L);
        if (random.nextBoolean() || ledger.used(queue, line) < amount) {
            ledger.charge(queue, line, amount);
        } else {
            ledger.release(queue, line, amount);
        }
    }

    @Test
    void what_was_there_before_it_was_asked_for_counts() {
        Ledger ledger = twoCohorts();
        ledger.charge(ledger.tree().queue("lab1"), ledger.tree().line("f", ClusterBuilder.GPU), 9);

        assertThat(ranked(ledger, ledger.tree().cohort("lab")))
                .containsExactly(ledger.tree().queue("lab1"));
        assertThat(ranked(ledger, ledger.tree().cohort("shop"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void it_tells_who_would_be_below_a_share_without_one_of_its_own_and_never_of_one_who_would_not(long seed) {
        Random random = new Random(seed);
        Ledger ledger = twoCohorts();
        int gpu = ledger.tree().line("f", ClusterBuilder.GPU);
        int[] lines = {gpu};
        long[] oneGone = {-2};
        ledger.shareRanking().tellWithoutOne((asked, queue) -> Share.of(asked, queue, lines, oneGone));
        int told = 0;
        for (int step = 0; step < STEPS; step++) {
            change(ledger, random);
            Share share = Share.of(ledger, random.nextInt(ledger.tree().queueCount()));
            for (int queue = 0; queue < ledger.tree().queueCount(); queue++) {
                if (Share.of(ledger, queue).isBorrowing()
                        && ledger.shareRanking().fallsBelow(share, queue)) {
                    told++;
                    assertThat(Share.of(ledger, queue, lines, oneGone)).isLessThan(share);
                }
            }
        }
        assertThat(told).isGreaterThan(STEPS);
    }

    private record Rank(int value) implements ShareRanking.Tie {
        @Override
        public int compareTo(ShareRanking.Tie other) {
            return Integer.compare(value, ((Rank) other).value);
        }
    }

    @Test
    void between_equal_shares_the_smaller_tie_decides_as_it_is_now_and_an_unknown_one_comes_before_all() {
        Ledger ledger = twoCohorts();
        int lab = ledger.tree().cohort("lab");
        int gpu = ledger.tree().line("f", ClusterBuilder.GPU);
        int one = ledger.tree().queue("lab0");
        int other = ledger.tree().queue("lab4");
        ledger.charge(one, gpu, 6);
        ledger.charge(other, gpu, 6);
        Map<Integer, Rank> ties = new HashMap<>(Map.of(one, new Rank(2), other, new Rank(1)));

        assertThat(ranked(ledger, lab)).as("by their numbers").containsExactly(one, other);
        ledger.shareRanking().breakTiesBy(ties::get);
        assertThat(ranked(ledger, lab)).containsExactly(other, one);

        ties.put(other, new Rank(3));
        ledger.shareRanking().note(other);
        assertThat(ranked(ledger, lab)).containsExactly(one, other);

        ties.remove(other);
        ledger.shareRanking().note(other);
        assertThat(ranked(ledger, lab)).containsExactly(other, one);

        ledger.charge(one, gpu, 1);
        assertThat(ranked(ledger, lab)).as("the higher share before all ties").containsExactly(one, other);
    }
}
