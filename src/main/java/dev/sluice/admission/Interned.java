package dev.sluice.admission;

import java.util.HashMap;
import java.util.Map;

/** One for all that are alike: the same object is equal at a glance, and is at hand when many of thousands are alike. */
final class Interned<T> {
    /** How many are kept that may not be anybody's any more. */
    private static final int MOST = 4096;

    private final Map<T, T> known = new HashMap<>();

    T of(T one) {
        if (known.size() >= MOST) {
            known.clear();
        }
        return known.computeIfAbsent(one, same -> same);
    }
}
