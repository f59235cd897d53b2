package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Small values as a table shows them. */
final class Words {
    static final String NOTHING = "-";

    private Words() {}

    /** The text of a field, or a dash. */
    static String text(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isMissingNode() || value.isNull() || value.asText().isEmpty() ? NOTHING : value.asText();
    }

    /** How long ago an RFC 3339 time was, in its largest unit that is not zero: {@code 3d}, {@code 5m}. */
    static String age(String time, Instant now) {
        try {
            return duration(Duration.between(Instant.parse(time), now));
        } catch (DateTimeParseException e) {
            return NOTHING;
        }
    }

    static String duration(Duration duration) {
        Duration positive = duration.isNegative() ? Duration.ZERO : duration;
        if (positive.toDays() > 0) {
            return positive.toDays() + "d";
        }
        if (positive.toHours() > 0) {
            return positive.toHours() + "h";
        }
        return positive.toMinutes() > 0 ? positive.toMinutes() + "m" : positive.toSeconds() + "s";
    }

    /** Amounts by line, as in {@code 8 nvidia.com/gpu, 32 cpu}. */
    static String amounts(JsonNode byLine) {
        List<String> parts = new ArrayList<>();
        byLine.properties().forEach(entry -> parts.add(entry.getValue().asText() + " " + lineName(entry.getKey())));
        return parts.isEmpty() ? NOTHING : String.join(", ", parts);
    }

    /** A quota key without the prefix that only machines need. */
    static String lineName(String key) {
        return key.startsWith("deviceclass/") ? key.substring("deviceclass/".length()) : key;
    }

    static String list(JsonNode texts) {
        List<String> parts = new ArrayList<>();
        texts.forEach(text -> parts.add(text.asText()));
        return String.join(", ", parts);
    }

    /** Counts by name, as in {@code 12 pending, 3 running}. */
    static String counts(JsonNode counts) {
        List<String> parts = new ArrayList<>();
        counts.properties().forEach(entry -> {
            if (entry.getValue().asLong() != 0) {
                parts.add(entry.getValue().asLong() + " " + entry.getKey().toLowerCase(Locale.ROOT));
            }
        });
        return String.join(", ", parts);
    }
}
