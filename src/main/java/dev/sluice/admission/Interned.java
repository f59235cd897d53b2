package dev.sluice.admission;

import java.util.LinkedHashMap;
import java.util.Map;

/** One for all that are alike: the same object is equal at a glance, and is at hand when many of thousands are alike. */
final class Interned<T> {
    private final Map<T, T> known;

    /** @param most how many are kept; more replace the first of them */
    Interned(int most) {
        known = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<T, T> eldest) {
                return size() > most;
            }
        };
    }

    T of(T one) {
        return known.computeIfAbsent(one, same -> same);
    }
}
