package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.LabelRequirement;
import dev.sluice.quota.NamespaceSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which namespaces may submit, as Kubernetes writes a label selector.
 *
 * @param matchLabels labels that a namespace must carry
 * @param matchExpressions what else must hold of its labels
 * @param matchNothing true = no namespace; Sluice's own, since leaving the selector out means every namespace there
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LabelSelectorBody(
        @Nullable Map<String, String> matchLabels,
        @Nullable List<Expression> matchExpressions,
        @Nullable Boolean matchNothing) {

    /** @param operator {@code In}, {@code NotIn}, {@code Exists} or {@code DoesNotExist} */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Expression(
            @Nullable String key,
            @Nullable String operator,
            @Nullable List<String> values) {}

    /**
     * Null = no namespace may submit.
     *
     * @param place put before field names, such as {@code spec.}
     */
    public @Nullable NamespaceSelector selector(String place, Mistakes mistakes) {
        String field = place + "namespaceSelector.";
        boolean labels = matchLabels != null && !matchLabels.isEmpty();
        boolean expressions = matchExpressions != null && !matchExpressions.isEmpty();
        if (Boolean.TRUE.equals(matchNothing)) {
            if (labels || expressions) {
                mistakes.add(field + "matchNothing", "true", "must be left out where labels are asked for");
            }
            return null;
        }
        return new NamespaceSelector(
                new TreeMap<>(ClusterQueueBody.withoutNulls(field + "matchLabels.", matchLabels, mistakes)),
                requirements(field + "matchExpressions", mistakes));
    }

    private List<LabelRequirement> requirements(String field, Mistakes mistakes) {
        List<LabelRequirement> requirements = new ArrayList<>();
        List<Expression> given = matchExpressions == null ? List.of() : matchExpressions;
        for (int index = 0; index < given.size(); index++) {
            Expression expression = given.get(index);
            String place = field + "[" + index + "].";
            if (expression == null) {
                mistakes.add(field + "[" + index + "]", null, "must be an object");
                continue;
            }
            String key = mistakes.required(place + "key", expression.key());
            mistakes.required(place + "operator", expression.operator());
            List<String> values = expression.values() == null ? List.of() : expression.values();
            if (values.stream().anyMatch(Objects::isNull)) {
                mistakes.add(place + "values", null, "must be texts");
            }
            requirements.add(new LabelRequirement(
                    key == null ? "" : key,
                    Choice.LABEL_OPERATOR.read(
                            place + "operator", expression.operator(), LabelRequirement.Operator.EXISTS, mistakes),
                    values.stream().filter(Objects::nonNull).toList()));
        }
        return requirements;
    }

    /** Null = every namespace may submit, which is what leaving it out means. */
    static @Nullable LabelSelectorBody of(@Nullable NamespaceSelector selector) {
        if (selector == null) {
            return new LabelSelectorBody(null, null, true);
        }
        return selector.isEvery() ? null : asked(selector);
    }

    /** What it asks for, in Kubernetes' form: asking for nothing is an empty object. */
    public static LabelSelectorBody asked(NamespaceSelector selector) {
        List<Expression> expressions = selector.matchExpressions().stream()
                .map(one -> new Expression(
                        one.key(),
                        Choice.LABEL_OPERATOR.word(one.operator()),
                        one.values().isEmpty() ? null : one.values()))
                .toList();
        return new LabelSelectorBody(
                selector.matchLabels().isEmpty() ? null : selector.matchLabels(),
                expressions.isEmpty() ? null : expressions,
                null);
    }
}
