package dev.sluice.admission;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A sorted set that knows the rank of every element, as a list of short sorted blocks.
 *
 * <p>A tree set has no ranks: where one of 100,000 stands would be found by counting from the front. One sorted array has,
 * but moves half of everything at each insertion. Blocks of a few hundred keep both small.
 */
final class SortedBlocks<T> implements Iterable<T> {
    private static final int FULL = 512;

    private final Comparator<? super T> order;
    private final List<List<T>> blocks = new ArrayList<>();
    private int size;

    SortedBlocks(Comparator<? super T> order) {
        this.order = order;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    @Nullable T first() {
        return size == 0 ? null : blocks.getFirst().getFirst();
    }

    /** Does nothing if an equal element is there. */
    void add(T element) {
        if (blocks.isEmpty()) {
            blocks.add(new ArrayList<>());
        }
        int block = blockOf(element);
        List<T> elements = blocks.get(block);
        int at = indexIn(elements, element);
        if (at < elements.size() && order.compare(elements.get(at), element) == 0) {
            return;
        }
        elements.add(at, element);
        size++;
        if (elements.size() > FULL) {
            List<T> back = elements.subList(FULL / 2, elements.size());
            blocks.add(block + 1, new ArrayList<>(back));
            back.clear();
        }
    }

    boolean remove(T element) {
        if (size == 0) {
            return false;
        }
        int block = blockOf(element);
        List<T> elements = blocks.get(block);
        int at = indexIn(elements, element);
        if (at == elements.size() || order.compare(elements.get(at), element) != 0) {
            return false;
        }
        elements.remove(at);
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
        int rank = indexIn(blocks.get(block), element);
        for (int before = 0; before < block; before++) {
            rank += blocks.get(before).size();
        }
        return rank;
    }

    /** The last block whose first element is not after the one asked for. */
    private int blockOf(T element) {
        int low = 0;
        int high = blocks.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            List<T> candidate = blocks.get(middle);
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
                return block < blocks.size() && index < blocks.get(block).size();
            }

            @Override
            public T next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                T element = blocks.get(block).get(index++);
                if (index == blocks.get(block).size()) {
                    block++;
                    index = 0;
                }
                return element;
            }
        };
    }
}
