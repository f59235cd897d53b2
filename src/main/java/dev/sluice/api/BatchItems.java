package dev.sluice.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.api.wire.JsonBody;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The items of a batch and their answers, in order. A line that is not well-formed costs its own item only. */
final class BatchItems {
    private static final int ITEMS_MAX = 20_000;

    private BatchItems() {}

    /**
     * @param tree null = {@code rejection} says why there is none
     * @param hash of the item's own text
     */
    record Item(
            int index, @Nullable JsonNode tree, @Nullable Rejection rejection, String hash) {
        JsonNode parsed() {
            if (tree == null) {
                throw rejection == null ? new Rejection(ProblemKind.EMPTY_BODY, "The item is empty.") : rejection;
            }
            return tree;
        }
    }

    static List<Item> of(byte[] body, @Nullable String contentType) {
        List<Item> items = Bodies.isNdjson(contentType) ? lines(body) : elements(JsonBody.parse(body));
        if (items.size() > ITEMS_MAX) {
            throw new Rejection(
                    ProblemKind.BODY_TOO_LARGE,
                    "The batch has " + items.size() + " items; at most " + ITEMS_MAX + " are taken.");
        }
        if (items.isEmpty()) {
            throw new Rejection(ProblemKind.EMPTY_BODY, "The batch has no item.");
        }
        return items;
    }

    private static List<Item> elements(JsonNode tree) {
        if (!tree.isArray()) {
            throw new Rejection(ProblemKind.MALFORMED_BODY, "A batch must be an array, or NDJSON.");
        }
        List<Item> items = new ArrayList<>(tree.size());
        for (JsonNode element : tree) {
            items.add(new Item(items.size(), element, null, Bodies.hash(Bodies.bytes(element.toString()))));
        }
        return items;
    }

    private static List<Item> lines(byte[] body) {
        List<Item> items = new ArrayList<>();
        int start = 0;
        for (int end = 0; end <= body.length; end++) {
            if (end == body.length || body[end] == '\n') {
                byte[] line = Arrays.copyOfRange(body, start, end);
                start = end + 1;
                if (!isBlank(line)) {
                    items.add(line(items.size(), line));
                }
            }
        }
        return items;
    }

    private static boolean isBlank(byte[] line) {
        for (byte character : line) {
            if (character > ' ' || character < 0) {
                return false;
            }
        }
        return true;
    }

    private static Item line(int index, byte[] line) {
        try {
            Bodies.checked(line, Bodies.SINGLE_BYTES_MAX);
            return new Item(index, JsonBody.parse(line), null, Bodies.hash(line));
        } catch (Rejection rejection) {
            return new Item(index, null, rejection, "");
        }
    }

    static ObjectNode withStatus(int status, Object shape) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("status", status);
        node.setAll((ObjectNode) JsonBody.tree(shape));
        return node;
    }

    static final class Answers {
        private final ArrayNode array = JsonNodeFactory.instance.arrayNode();

        void add(ObjectNode answer) {
            array.add(answer);
        }

        ArrayNode array() {
            return array;
        }
    }
}
