package dev.sluice.api.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.api.wire.JsonBody;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads YAML as JSON trees. Anchors and merges work; what they expand to is bounded, so that a few lines cannot fill the memory.
 * Duplicate keys are refused, since YAML itself would keep the last one in silence.
 */
public final class YamlDocuments {
    private static final int NODES_MAX = 200_000;
    private static final int ALIASES_MAX = 100;
    private static final Pattern DECIMAL = Pattern.compile("[-+]?(0|[1-9][0-9]{0,98})");

    private final IdentityHashMap<Node, Boolean> open = new IdentityHashMap<>();
    private int nodes;

    private YamlDocuments() {}

    /**
     * The documents that are not empty, in order.
     *
     * @throws Rejection naming line and column if the text is not well-formed or too much
     */
    public static List<JsonNode> parse(byte[] body) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        options.setMaxAliasesForCollections(ALIASES_MAX);
        options.setNestingDepthLimit(JsonBody.DEPTH_MAX);
        options.setCodePointLimit(16 << 20);
        Yaml yaml = new Yaml(
                new SafeConstructor(options),
                new Representer(new DumperOptions()),
                new DumperOptions(),
                options,
                new Resolver());
        YamlDocuments reader = new YamlDocuments();
        List<JsonNode> documents = new ArrayList<>();
        try {
            for (Node document : yaml.composeAll(new StringReader(text(body)))) {
                JsonNode tree = reader.tree(document);
                if (!tree.isNull()) {
                    documents.add(tree);
                }
            }
        } catch (MarkedYAMLException malformed) {
            throw malformed(malformed.getProblemMark(), String.valueOf(malformed.getProblem()));
        } catch (YAMLException limit) {
            throw new Rejection(ProblemKind.MALFORMED_BODY, String.valueOf(limit.getMessage()) + ".");
        }
        return documents;
    }

    private static String text(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw new Rejection(ProblemKind.MALFORMED_BODY, "The body is not valid UTF-8.");
        }
    }

    private static Rejection malformed(Mark at, String what) {
        String where = at == null ? "" : "Line " + (at.getLine() + 1) + ", column " + (at.getColumn() + 1) + ": ";
        return new Rejection(ProblemKind.MALFORMED_BODY, where + what + ".");
    }

    private JsonNode tree(Node node) {
        if (++nodes > NODES_MAX) {
            throw malformed(node.getStartMark(), "the document expands to more than " + NODES_MAX + " values");
        }
        if (open.put(node, true) != null) {
            throw malformed(node.getStartMark(), "an anchor must not contain itself");
        }
        JsonNode tree = switch (node) {
            case MappingNode mapping -> object(mapping);
            case SequenceNode sequence -> array(sequence);
            case ScalarNode scalar -> scalar(scalar);
            default -> throw malformed(node.getStartMark(), "this kind of node is not supported");
        };
        open.remove(node);
        return tree;
    }

    private ObjectNode object(MappingNode mapping) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        List<Node> merged = new ArrayList<>();
        for (NodeTuple entry : mapping.getValue()) {
            if (entry.getKeyNode().getTag().equals(Tag.MERGE)) {
                merged.add(entry.getValueNode());
                continue;
            }
            if (!(entry.getKeyNode() instanceof ScalarNode key)) {
                throw malformed(entry.getKeyNode().getStartMark(), "a key must be a text");
            }
            if (object.has(key.getValue())) {
                throw malformed(key.getStartMark(), "duplicate key " + key.getValue());
            }
            object.set(key.getValue(), tree(entry.getValueNode()));
        }
        merged.forEach(node -> merge(object, node));
        return object;
    }

    private void merge(ObjectNode object, Node merged) {
        JsonNode tree = tree(merged);
        for (JsonNode one : tree.isArray() ? tree : List.of(tree)) {
            if (!one.isObject()) {
                throw malformed(merged.getStartMark(), "a merge must name an object");
            }
            for (Map.Entry<String, JsonNode> entry : one.properties()) {
                if (!object.has(entry.getKey())) {
                    object.set(entry.getKey(), entry.getValue());
                }
            }
        }
    }

    private ArrayNode array(SequenceNode sequence) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        sequence.getValue().forEach(node -> array.add(tree(node)));
        return array;
    }

    /** Numbers keep their exact value; what only YAML 1.1 would take for a number or a date stays text, as in Kubernetes. */
    private static JsonNode scalar(ScalarNode scalar) {
        JsonNodeFactory factory = JsonNodeFactory.instance;
        String text = scalar.getValue();
        if (scalar.getTag().equals(Tag.NULL)) {
            return factory.nullNode();
        }
        if (scalar.getTag().equals(Tag.BOOL)) {
            return factory.booleanNode(
                    text.equalsIgnoreCase("true") || text.equalsIgnoreCase("yes") || text.equalsIgnoreCase("on"));
        }
        if (scalar.getTag().equals(Tag.INT) && DECIMAL.matcher(text).matches()) {
            BigInteger value = new BigInteger(text);
            return value.bitLength() < 32
                    ? factory.numberNode(value.intValue())
                    : value.bitLength() < 64 ? factory.numberNode(value.longValue()) : factory.numberNode(value);
        }
        if (scalar.getTag().equals(Tag.FLOAT) && text.length() <= 100) {
            try {
                return factory.numberNode(new BigDecimal(text));
            } catch (NumberFormatException special) {
                return factory.textNode(text);
            }
        }
        return factory.textNode(text);
    }
}
