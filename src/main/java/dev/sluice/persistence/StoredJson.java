package dev.sluice.persistence;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.sluice.quota.LabelRequirement;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.Quantity;
import dev.sluice.workload.WorkloadId;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;

/**
 * The JSON that the store keeps: records by the names of their components, quantities as they were written, times as ISO text,
 * nothing for null. Every object at the top carries {@code v}, the version of its form; a reader ignores fields that it does not
 * know. Its form is pinned by a test, since old rows must stay readable.
 */
final class StoredJson {
    static final int VERSION = 1;

    static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .addModule(scalars())
            .visibility(PropertyAccessor.ALL, Visibility.NONE)
            .visibility(PropertyAccessor.FIELD, Visibility.ANY)
            .visibility(PropertyAccessor.CREATOR, Visibility.ANY)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS, SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private StoredJson() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode().put("v", VERSION);
    }

    /** The record's components, and {@code v}. */
    static ObjectNode objectOf(Object value) {
        ObjectNode node = object();
        node.setAll((ObjectNode) MAPPER.valueToTree(value));
        return node;
    }

    static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("cannot write " + value, impossible);
        }
    }

    static <T> T read(String text, Class<T> type) {
        try {
            return MAPPER.readValue(text, type);
        } catch (JsonProcessingException unreadable) {
            throw new IllegalStateException("stored JSON is not a " + type.getSimpleName() + ": " + text, unreadable);
        }
    }

    static <T> T read(JsonNode node, Class<T> type) {
        try {
            return MAPPER.treeToValue(node, type);
        } catch (JsonProcessingException unreadable) {
            throw new IllegalStateException("stored JSON is not a " + type.getSimpleName() + ": " + node, unreadable);
        }
    }

    static ObjectNode readObject(String text) {
        return read(text, ObjectNode.class);
    }

    private static SimpleModule scalars() {
        return new SimpleModule()
                .addSerializer(Quantity.class, new TextSerializer<>(Quantity.class))
                .addDeserializer(Quantity.class, new TextDeserializer<>(Quantity.class) {
                    @Override
                    Quantity parse(String text) {
                        return Quantity.parse(text);
                    }
                })
                .addDeserializer(NamespaceSelector.class, new SelectorDeserializer())
                .addSerializer(WorkloadId.class, new TextSerializer<>(WorkloadId.class))
                .addDeserializer(WorkloadId.class, new TextDeserializer<>(WorkloadId.class) {
                    @Override
                    WorkloadId parse(String text) {
                        return new WorkloadId(text);
                    }
                });
    }

    /** Before there were expressions, a selector was the labels alone. */
    private static final class SelectorDeserializer extends StdDeserializer<NamespaceSelector> {
        SelectorDeserializer() {
            super(NamespaceSelector.class);
        }

        @Override
        public NamespaceSelector deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            ObjectNode node = parser.readValueAsTree();
            boolean labelsAlone = !node.path("matchLabels").isObject();
            SortedMap<String, String> labels = MAPPER.convertValue(
                    labelsAlone ? node : node.get("matchLabels"), new TypeReference<SortedMap<String, String>>() {});
            List<LabelRequirement> expressions = labelsAlone
                    ? List.of()
                    : MAPPER.convertValue(
                            node.required("matchExpressions"), new TypeReference<List<LabelRequirement>>() {});
            return new NamespaceSelector(labels, expressions);
        }
    }

    private static final class TextSerializer<T> extends StdSerializer<T> {
        TextSerializer(Class<T> type) {
            super(type);
        }

        @Override
        public void serialize(T value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeString(value.toString());
        }
    }

    private abstract static class TextDeserializer<T> extends StdDeserializer<T> {
        TextDeserializer(Class<T> type) {
            super(type);
        }

        abstract T parse(String text);

        @Override
        public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return parse(parser.getText());
        }
    }
}
