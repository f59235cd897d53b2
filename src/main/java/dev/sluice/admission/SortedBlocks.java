package dev.sluice.admission;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A sorted set that knows the rank of every element, as a list of short sorted blocks.
 *
 * <p>A tree set has no ranks: where one of 100,000 stands would be found by counting from the front. One sorted array has,
 * but moves half of everything at each insertion. Blocks of a few hundred keep both small.
 */
final class SortedBlocks<T> implements Iterable<T> {
    private static final int FULL = 512;
    /** More at once are not worth following. */
    private static final int CHANGES_MOST = 8;

    private final Comparator<? super T> order;
    private final int full;
    private final List<Block<T>> blocks = new ArrayList<>();
    private int size;
    private @Nullable Object summary;

    SortedBlocks(Comparator<? super T> order) {
        this(order, FULL);
    }

    /** @param full how many elements a block has at most; at least 2 */
    SortedBlocks(Comparator<? super T> order, int full) {
        this.order = order;
        this.full = full;
    }

    /** @param added null = the one that stood there went */
    private record Change<T>(int at, @Nullable T added) {}

    /** Makes something of elements that follow each other, or of what was made of them before one came or went: the same. */
    interface Summary<T, S> {
        S of(List<T> elements);

        S with(S before, int at, T added);

        S without(S before, int at);
    }

    /** Some elements that follow each other, and what was once found out about all of them together. */
    static final class Block<T> {
        private final List<T> elements;
        private @Nullable Object summary;
        /** As it was before the last few elements came or went; null = not known. */
        private @Nullable Object stale;
        /** Since then. */
        private final List<Change<T>> changes = new ArrayList<>();

        private Block(List<T> elements) {
            this.elements = elements;
        }

        /** Not empty. */
        List<T> elements() {
            return elements;
        }

        /**
         * What is made of the elements, remembered until one comes or goes.
         *
         * @param make always the same for one set, and always the same for the same elements
         */
        @SuppressWarnings("unchecked")
        <S> S summary(Summary<T, S> make) {
            S known = (S) summary;
            if (known == null) {
                known = (S) stale;
                known = known == null ? make.of(elements) : changed(known, make);
                summary = known;
                forgetBefore();
            }
            return known;
        }

        private <S> S changed(S before, Summary<T, S> make) {
            S now = before;
            for (Change<T> change : changes) {
                T added = change.added();
                now = added == null ? make.without(now, change.at()) : make.with(now, change.at(), added);
            }
            return now;
        }

        private void note(int at, @Nullable T added) {
            if (summary != null) {
                stale = summary;
                summary = null;
            }
            if (changes.size() == CHANGES_MOST) {
                forgetBefore();
            } else if (stale != null) {
                changes.add(new Change<>(at, added));
            }
        }

        private void forget() {
            summary = null;
            forgetBefore();
        }

        private void forgetBefore() {
            stale = null;
            changes.clear();
        }
    }

    /**
     * What is made of all elements by way of their blocks, remembered like that of a block.
     *
     * @param join makes one of those of several blocks, at least one
     */
    @SuppressWarnings("unchecked")
    <S> S summary(Summary<T, S> make, Function<List<S>, S> join) {
        Object known = summary;
        if (known == null) {
            List<S> ofBlocks = new ArrayList<>(blocks.size());
            for (Block<T> block : blocks) {
                ofBlocks.add(block.summary(make));
            }
            known = join.apply(ofBlocks);
            summary = known;
        }
        return (S) known;
    }

    /** In order. */
    List<Block<T>> blocks() {
        return blocks;
    }

    void clear() {
        blocks.clear();
        size = 0;
        summary = null;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    @Nullable T first() {
        return size == 0 ? null : blocks.getFirst().elements.getFirst();
    }

    /** Does nothing if an equal element is there. */
    void add(T element) {
        if (blocks.isEmpty()) {
            blocks.add(new Block<>(new ArrayList<>()));
        }
        int block = blockOf(element);
        List<T> elements = blocks.get(block).elements;
        int at = indexIn(elements, element);
        if (at < elements.size() && order.compare(elements.get(at), element) == 0) {
            return;
        }
        elements.add(at, element);
        blocks.get(block).note(at, element);
        summary = null;
        size++;
        if (elements.size() > full) {
            List<T> back = elements.subList(full / 2, elements.size());
            blocks.add(block + 1, new Block<>(new ArrayList<>(back)));
            back.clear();
            blocks.get(block).forget();
        }
    }

    boolean remove(T element) {
        if (size == 0) {
            return false;
        }
        int block = blockOf(element);
        List<T> elements = blocks.get(block).elements;
        int at = indexIn(elements, element);
        if (at == elements.size() || order.compare(elements.get(at), element) != 0) {
            return false;
        }
        elements.remove(at);
        blocks.get(block).note(at, null);
        summary = null;
        size--;
        if (elements.isEmpty()) {
            blocks.remove(block);
        }
        return true;
    }

    /** How many elements sort before it, whether it is in the set or not. */
    int rank(T element) {
        if (size == 0) {
            return 0;
        }
        int block = blockOf(element);
        int rank = indexIn(blocks.get(block).elements, element);
        for (int before = 0; before < block; before++) {
            rank += blocks.get(before).elements.size();
        }
        return rank;
    }

    /** The last block whose first element is not after the one asked for. */
    private int blockOf(T element) {
        int low = 0;
        int high = blocks.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            List<T> candidate = blocks.get(middle).elements;
            if (!candidate.isEmpty() && order.compare(candidate.getFirst(), element) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private int indexIn(List<T> elements, T element) {
        int low = 0;
        int high = elements.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (order.compare(elements.get(middle), element) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public Iterator<T> iterator() {
        return new Iterator<>() {
            private int block;
            private int index;

            @Override
            public boolean hasNext() {
                return block < blocks.size()
                        && index < blocks.get(block).elements.size();
            }

            @Override
            public T next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                List<T> elements = blocks.get(block).elements;
                T element = elements.get(index++);
                if (index == elements.size()) {
                    block++;
                    index = 0;
                }
                return element;
            }
        };
    }
}
