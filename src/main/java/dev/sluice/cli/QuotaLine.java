package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.Resources;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One quota line of a queue, over all of its flavors, or of several queues taken together. */
record QuotaLine(String key, Amount nominal, Amount used, Amount borrowed, Amount lent, Amount waiting) {
    /** An amount that adds up exactly and is written as its resource is. */
    record Amount(String resource, BigDecimal value) {
        static Amount of(String resource, JsonNode quantity) {
            String text = quantity.asText("");
            return new Amount(
                    resource,
                    text.isEmpty() ? BigDecimal.ZERO : Quantity.parse(text).value());
        }

        Amount plus(Amount other) {
            return new Amount(resource, value.add(other.value));
        }

        boolean isZero() {
            return value.signum() == 0;
        }

        @Override
        public String toString() {
            return Resources.format(
                    resource, Quantity.parse(value.toPlainString()).units(resource));
        }
    }

    /** The lines of a ClusterQueue as the API writes it, in the order of its quotas. */
    static List<QuotaLine> of(JsonNode queue) {
        Map<String, Amount> nominal = new LinkedHashMap<>();
        for (JsonNode quota : queue.path("quotas")) {
            String key = key(quota);
            nominal.merge(key, Amount.of(key, quota.path("nominal")), Amount::plus);
        }
        List<QuotaLine> lines = new ArrayList<>();
        nominal.forEach((key, amount) -> {
            JsonNode usage = queue.path("status").path("usage").path(key);
            lines.add(new QuotaLine(
                    key,
                    amount,
                    Amount.of(key, usage.path("used")),
                    Amount.of(key, usage.path("borrowed")),
                    Amount.of(key, usage.path("lent")),
                    Amount.of(key, usage.path("pending"))));
        });
        return lines;
    }

    QuotaLine plus(QuotaLine other) {
        return new QuotaLine(
                key,
                nominal.plus(other.nominal),
                used.plus(other.used),
                borrowed.plus(other.borrowed),
                lent.plus(other.lent),
                waiting.plus(other.waiting));
    }

    /** As the contract has quota keys: a resource, or {@code deviceclass/<class>[/<counter or capacity>]}. */
    private static String key(JsonNode quota) {
        if (!quota.hasNonNull("deviceClass")) {
            return quota.path("resource").asText();
        }
        String key = Resources.ofDeviceClass(quota.get("deviceClass").asText());
        String dimension = quota.path("counter").asText(quota.path("capacity").asText(""));
        return dimension.isEmpty() ? key : key + "/" + dimension;
    }
}
