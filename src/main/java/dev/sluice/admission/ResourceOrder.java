package dev.sluice.admission;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;

/** The order in which Kueue keeps the resources of a request (its {@code SliceRequests}): by the FNV-1a hash of their names. */
final class ResourceOrder {
    static final Comparator<String> BY_HASH = (left, right) -> {
        int byHash = Long.compareUnsigned(hash(left), hash(right));
        return byHash != 0 ? byHash : left.compareTo(right);
    };

    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private ResourceOrder() {}

    private static long hash(String name) {
        long hash = OFFSET;
        for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (one & 0xff)) * PRIME;
        }
        return hash;
    }
}
