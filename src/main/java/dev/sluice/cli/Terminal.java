package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import java.io.PrintWriter;
import java.io.UncheckedIOException;

/** Where answers go: what was asked for to the output, remarks to the error stream, so that a pipe sees the answer alone. */
record Terminal(PrintWriter out, PrintWriter err, ClientOptions.Format format) {
    /** Writes the document if the person asked for json or yaml; tells whether it did. */
    boolean wrote(JsonNode document) {
        switch (format) {
            case JSON -> out.println(text(new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT), document));
            case YAML ->
                out.print(text(
                        new ObjectMapper(YAMLFactory.builder()
                                .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                                .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                                .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                                .build()),
                        document));
            case TABLE -> {
                return false;
            }
        }
        out.flush();
        return true;
    }

    void print(String line) {
        out.println(line);
        out.flush();
    }

    /** A remark to the person, apart from the answer. */
    void remark(String line) {
        err.println(line);
        err.flush();
    }

    private static String text(ObjectMapper mapper, JsonNode document) {
        try {
            return mapper.writeValueAsString(document);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
