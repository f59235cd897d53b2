package dev.sluice.api.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.sluice.quota.NearestNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON strictly: no duplicate key, no unknown field, no number where a text belongs, nothing after the end, bounded depth.
 * Parsing and binding are two steps, since a tree can be JSON or YAML and native or Kubernetes before it has a shape.
 */
public final class JsonBody {
    public static final int DEPTH_MAX = 64;

    private static final ObjectMapper MAPPER = mapper();
    private static final ObjectReader TREE = MAPPER.readerFor(JsonNode.class);
    private static final Map<Class<?>, ObjectReader> READERS = new ConcurrentHashMap<>();

    private JsonBody() {}

    private static ObjectMapper mapper() {
        JsonFactory factory = JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(DEPTH_MAX)
                        .maxNumberLength(100)
                        .maxStringLength(1 << 20)
                        .build())
                .build();
        JsonMapper mapper = JsonMapper.builder(factory)
                .addModule(new JavaTimeModule())
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .build();
        for (CoercionInputShape shape :
                List.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)) {
            mapper.coercionConfigFor(LogicalType.Textual).setCoercion(shape, CoercionAction.Fail);
        }
        return mapper;
    }

    /** @throws Rejection naming line and column if it is not well-formed */
    public static JsonNode parse(byte[] body) {
        JsonNode tree;
        try {
            tree = TREE.readValue(body);
        } catch (JsonProcessingException malformed) {
            throw malformed(malformed);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        if (tree.isMissingNode()) {
            throw new Rejection(ProblemKind.EMPTY_BODY, "The body is empty; a JSON document was expected.");
        }
        return tree;
    }

    /** @throws Rejection naming the field that is not known or has the wrong type */
    public static <T> T bind(JsonNode tree, Class<T> shape) {
        if (!tree.isObject()) {
            throw new Rejection(
                    ProblemKind.MALFORMED_BODY,
                    "The body must be an object, not " + typeOf(tree) + ".",
                    List.of(new FieldViolation("", typeOf(tree), "must be an object", List.of())));
        }
        try {
            return READERS.computeIfAbsent(shape, MAPPER::readerFor).readValue(tree);
        } catch (UnrecognizedPropertyException unknown) {
            throw unknownField(unknown);
        } catch (JsonMappingException wrong) {
            throw wrongType(wrong, tree);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    public static JsonNode tree(Object shape) {
        return MAPPER.valueToTree(shape);
    }

    private static Rejection malformed(JsonProcessingException malformed) {
        JsonLocation at = malformed.getLocation();
        String where = at == null ? "" : "Line " + at.getLineNr() + ", column " + at.getColumnNr() + ": ";
        String what = switch (malformed) {
            case StreamConstraintsException limit -> limit.getOriginalMessage();
            case JsonParseException syntax -> syntax.getOriginalMessage();
            default -> malformed.getOriginalMessage();
        };
        String first = String.valueOf(what).lines().findFirst().orElse("not JSON");
        return new Rejection(ProblemKind.MALFORMED_BODY, where + first + ".");
    }

    private static Rejection unknownField(UnrecognizedPropertyException unknown) {
        String name = unknown.getPropertyName();
        List<String> known = unknown.getKnownPropertyIds() == null
                ? List.of()
                : unknown.getKnownPropertyIds().stream()
                        .map(String::valueOf)
                        .sorted()
                        .toList();
        String field = path(unknown);
        return new Rejection(
                ProblemKind.UNKNOWN_FIELD,
                "Field " + field + " is not known here.",
                List.of(new FieldViolation(
                        field,
                        null,
                        "is not known; known are " + String.join(", ", known),
                        NearestNames.of(name, known))));
    }

    private static Rejection wrongType(JsonMappingException wrong, JsonNode tree) {
        String field = path(wrong);
        JsonNode found = at(tree, wrong.getPath());
        String expected = wrong instanceof MismatchedInputException mismatch && !(wrong instanceof InvalidNullException)
                ? expected(mismatch.getTargetType())
                : "a valid value";
        return new Rejection(
                ProblemKind.INVALID_FIELD,
                "Field " + field + " must be " + expected + ".",
                List.of(new FieldViolation(
                        field, found == null ? null : text(found), "must be " + expected, List.of())));
    }

    private static String expected(@Nullable Class<?> type) {
        if (type == null) {
            return "of another type";
        }
        if (type == String.class) {
            return "a text";
        }
        if (type == Boolean.class || type == boolean.class) {
            return "true or false";
        }
        if (Number.class.isAssignableFrom(type) || type.isPrimitive()) {
            return "a whole number between " + Integer.MIN_VALUE + " and " + Integer.MAX_VALUE;
        }
        return List.class.isAssignableFrom(type) ? "a list" : "an object";
    }

    private static String path(JsonMappingException wrong) {
        StringBuilder path = new StringBuilder();
        for (JsonMappingException.Reference step : wrong.getPath()) {
            if (step.getFieldName() == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
            }
        }
        return path.toString();
    }

    private static @Nullable JsonNode at(JsonNode tree, List<JsonMappingException.Reference> path) {
        JsonNode at = tree;
        for (JsonMappingException.Reference step : path) {
            at = step.getFieldName() == null ? at.get(step.getIndex()) : at.get(step.getFieldName());
            if (at == null) {
                return null;
            }
        }
        return at;
    }

    static String text(JsonNode node) {
        return node.isTextual() ? node.textValue() : node.toString();
    }

    static String typeOf(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "a list";
            case BOOLEAN -> "true or false";
            case NULL, MISSING -> "nothing";
            case NUMBER -> "a number";
            case STRING -> "a text";
            case OBJECT, POJO -> "an object";
            case BINARY -> "bytes";
        };
    }
}
