package dev.sluice.api.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sluice.api.wire.Mistakes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A place in a Kubernetes document, read with care: a value of the wrong type is a mistake that is told with its path, and then
 * counts as missing. Null and missing are the same, as in Kubernetes.
 */
record Field(JsonNode node, String path, Mistakes mistakes) {
    static Field root(JsonNode document, Mistakes mistakes) {
        return new Field(document, "", mistakes);
    }

    Field get(String name) {
        String place = path.isEmpty() ? name : path + "." + name;
        if (!isMissing() && !node.isObject()) {
            mistakes.add(path, node.toString(), "must be an object");
            return new Field(MissingNode.getInstance(), place, mistakes);
        }
        return new Field(node.path(name), place, mistakes);
    }

    boolean isMissing() {
        return node.isMissingNode() || node.isNull();
    }

    @Nullable String text() {
        if (isMissing()) {
            return null;
        }
        if (!node.isTextual()) {
            mistakes.add(path, node.toString(), "must be a text");
            return null;
        }
        return node.textValue();
    }

    String text(String fallback) {
        String text = text();
        return text == null ? fallback : text;
    }

    @Nullable Integer integer() {
        if (isMissing()) {
            return null;
        }
        if (!node.isIntegralNumber() || !node.canConvertToInt()) {
            mistakes.add(path, node.toString(), "must be a whole number of 32 bits");
            return null;
        }
        return node.intValue();
    }

    List<Field> items() {
        List<Field> items = new ArrayList<>();
        if (isMissing()) {
            return items;
        }
        if (!node.isArray()) {
            mistakes.add(path, node.toString(), "must be a list");
            return items;
        }
        for (int index = 0; index < node.size(); index++) {
            items.add(new Field(node.get(index), path + "[" + index + "]", mistakes));
        }
        return items;
    }

    List<String> texts() {
        List<String> texts = new ArrayList<>();
        for (Field item : items()) {
            String text = item.text();
            if (text != null) {
                texts.add(text);
            }
        }
        return texts;
    }

    /** Name to text, sorted; entries of another type are told and left out. */
    Map<String, String> textMap() {
        Map<String, String> map = new TreeMap<>();
        entries().forEach((name, field) -> {
            String text = field.text();
            if (text != null) {
                map.put(name, text);
            }
        });
        return map;
    }

    Map<String, Field> entries() {
        Map<String, Field> entries = new TreeMap<>();
        if (isMissing()) {
            return entries;
        }
        if (!node.isObject()) {
            mistakes.add(path, node.toString(), "must be an object");
            return entries;
        }
        node.properties()
                .forEach(entry -> entries.put(
                        entry.getKey(), new Field(entry.getValue(), path + "." + entry.getKey(), mistakes)));
        return entries;
    }

    /** A quantity as written, which may be a text or a number. */
    @Nullable String quantityText() {
        if (isMissing()) {
            return null;
        }
        if (!node.isTextual() && !node.isNumber()) {
            mistakes.add(path, node.toString(), "must be a quantity");
            return null;
        }
        return node.asText();
    }
}
