package dev.sluice.persistence;

import dev.sluice.overview.WorkloadReader.Sort;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Where a page of workloads ended.
 *
 * @param value of the column sorted by; empty where that is the sequence
 */
record PageKey(Sort sort, long sequence, String value) {
    String encoded() {
        String text = sort.name() + ":" + sequence + ":" + value;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** @throws IllegalArgumentException if it is not a key of this sort order */
    static PageKey decode(String encoded, Sort sort) {
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(encoded), StandardCharsets.UTF_8).split(":", 3);
            if (parts.length == 3 && parts[0].equals(sort.name())) {
                PageKey key = new PageKey(sort, Long.parseLong(parts[1]), parts[2]);
                if (sort == Sort.PRIORITY_DESCENDING) {
                    Integer.parseInt(key.value());
                }
                return key;
            }
        } catch (IllegalArgumentException notOurs) {
            // said below, together with keys of another order
        }
        throw new IllegalArgumentException("must be the cursor of a page in the same order");
    }
}
