package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sorted set with ranks is the sorted set that Java has, and counts. */
@Tag("core")
class SortedBlocksTest {
    private final SortedBlocks<Integer> blocks = new SortedBlocks<>(Comparator.<Integer>naturalOrder());
    private final TreeSet<Integer> expected = new TreeSet<>();

    private void add(int number) {
        blocks.add(number);
        expected.add(number);
    }

    private void remove(int number) {
        assertThat(blocks.remove(number)).isEqualTo(expected.remove(number));
    }

    private void compare() {
        assertThat(blocks).containsExactlyElementsOf(expected);
        assertThat(blocks.size()).isEqualTo(expected.size());
        assertThat(blocks.isEmpty()).isEqualTo(expected.isEmpty());
        assertThat(blocks.first()).isEqualTo(expected.isEmpty() ? null : expected.first());
    }

    @Test
    void an_empty_set_has_no_first_and_everything_has_rank_0_in_it() {
        compare();
        assertThat(blocks.rank(5)).isZero();
        assertThat(blocks.remove(5)).isFalse();
        Iterator<Integer> nothing = blocks.iterator();
        assertThat(nothing.hasNext()).isFalse();
        assertThatThrownBy(nothing::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void an_element_that_is_there_is_not_added_again() {
        add(3);
        add(3);
        compare();
        remove(3);
        compare();
        remove(3);
        add(4);
        compare();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void elements_in_any_order_are_sorted_and_ranked_over_many_blocks(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 6000; round++) {
            int number = random.nextInt(4000);
            if (random.nextInt(4) == 0) {
                remove(number);
            } else {
                add(number);
            }
        }
        compare();
        for (int number = -1; number <= 4000; number += 13) {
            assertThat(blocks.rank(number))
                    .as("rank of %s", number)
                    .isEqualTo(expected.headSet(number).size());
        }
        for (int number : new TreeSet<>(expected)) {
            remove(number);
        }
        compare();
    }

    @Test
    void elements_that_come_in_order_are_ranked_from_either_end() {
        IntStream.rangeClosed(1, 1500).forEach(this::add);
        compare();
        assertThat(blocks.rank(1)).isZero();
        assertThat(blocks.rank(513)).isEqualTo(512);
        assertThat(blocks.rank(1500)).isEqualTo(1499);
        assertThat(blocks.rank(2000)).isEqualTo(1500);
        IntStream.rangeClosed(1, 1499).forEach(this::remove);
        compare();
        assertThat(blocks.rank(1500)).isZero();
    }

    /** Its elements, and how often they were gone through. */
    private static final class Copied implements SortedBlocks.Summary<Integer, List<Integer>> {
        private int made;
        private int changed;

        @Override
        public List<Integer> of(List<Integer> elements) {
            made++;
            return List.copyOf(elements);
        }

        @Override
        public List<Integer> with(List<Integer> before, int at, Integer added) {
            changed++;
            List<Integer> now = new ArrayList<>(before);
            now.add(at, added);
            return now;
        }

        @Override
        public List<Integer> without(List<Integer> before, int at) {
            changed++;
            List<Integer> now = new ArrayList<>(before.subList(0, at));
            now.addAll(before.subList(at + 1, before.size()));
            return now;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void what_is_made_of_it_follows_what_comes_and_goes_without_going_through_all_again(long seed) {
        Random random = new Random(seed);
        SortedBlocks<Integer> few = new SortedBlocks<>(Comparator.<Integer>naturalOrder(), 8);
        Copied copied = new Copied();
        for (int step = 0; step < 4_000; step++) {
            int number = random.nextInt(60);
            if (random.nextBoolean()) {
                few.add(number);
            } else {
                few.remove(number);
            }
            if (random.nextInt(3) == 0) {
                List<Integer> all = few.isEmpty()
                        ? List.of()
                        : few.summary(
                                copied,
                                ofBlocks ->
                                        ofBlocks.stream().flatMap(List::stream).toList());
                assertThat(all).as("step %d", step).containsExactlyElementsOf(few);
            }
        }
        assertThat(copied.changed).isGreaterThan(4 * copied.made);
    }
}
