package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.QuotaLine;
import java.util.SortedMap;
import java.util.TreeMap;

/** Amounts as vectors write them: {@code "flavor|resource" → quantity}, {@code "inf"} for unlimited. */
final class VectorAmounts {
    private VectorAmounts() {}

    static QuotaLine line(String pair) {
        int bar = pair.indexOf('|');
        return new QuotaLine(pair.substring(0, bar), pair.substring(bar + 1));
    }

    static SortedMap<QuotaLine, Long> byLine(JsonNode amounts) {
        SortedMap<QuotaLine, Long> byLine = new TreeMap<>();
        VectorWorld.fields(amounts).forEach((pair, quantity) -> {
            QuotaLine line = line(pair);
            byLine.put(line, amount(quantity.asText(), line.resource()));
        });
        return byLine;
    }

    static long amount(String text, String resource) {
        return text.equals("inf") ? Amounts.UNLIMITED : Quantity.parse(text).units(resource);
    }

    static SortedMap<QuotaLine, Long> withoutZeros(SortedMap<QuotaLine, Long> amounts) {
        SortedMap<QuotaLine, Long> kept = new TreeMap<>(amounts);
        kept.values().removeIf(amount -> amount == 0);
        return kept;
    }
}
