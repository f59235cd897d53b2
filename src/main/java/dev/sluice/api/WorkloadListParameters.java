package dev.sluice.api;

import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import dev.sluice.overview.WorkloadReader.Filter;
import dev.sluice.overview.WorkloadReader.Sort;
import dev.sluice.quota.NearestNames;
import dev.sluice.workload.WorkloadState;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.QueryParam;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Filters, order and page of the list of workloads. States may be repeated or separated by commas. */
public record WorkloadListParameters(
        @QueryParam("team") @Nullable String team,
        @QueryParam("clusterQueue") @Nullable String clusterQueue,
        @QueryParam("namespace") @Nullable String namespace,
        @QueryParam("state") List<String> states,
        @QueryParam("priorityClass") @Nullable String priorityClass,
        @QueryParam("deviceClass") @Nullable String deviceClass,
        @QueryParam("name") @Nullable String name,
        @QueryParam("sort") @DefaultValue("-createdAt") String sortBy,
        @QueryParam("limit") @DefaultValue(Limits.DEFAULT) int limitGiven,
        @QueryParam("after") @Nullable String after) {
    private static final Map<String, Sort> SORTS = new TreeMap<>(Map.of(
            "createdAt", Sort.CREATED_ASCENDING,
            "-createdAt", Sort.CREATED_DESCENDING,
            "-priority", Sort.PRIORITY_DESCENDING,
            "name", Sort.NAME_ASCENDING));

    int limit() {
        return Limits.checked(limitGiven);
    }

    Sort sort() {
        return Optional.ofNullable(SORTS.get(sortBy))
                .orElseThrow(() -> wrong("sort", sortBy, List.copyOf(SORTS.keySet())));
    }

    Filter filter() {
        List<WorkloadState> parsed = new ArrayList<>();
        for (String given : states) {
            for (String word : given.split(",", -1)) {
                if (!word.isBlank()) {
                    parsed.add(state(word.strip()));
                }
            }
        }
        return new Filter(team, clusterQueue, namespace, parsed, priorityClass, deviceClass, name);
    }

    private static WorkloadState state(String word) {
        List<String> words =
                Arrays.stream(WorkloadState.values()).map(Enum::name).toList();
        String upper = word.toUpperCase(Locale.ROOT);
        if (!words.contains(upper)) {
            throw wrong("state", word, words);
        }
        return WorkloadState.valueOf(upper);
    }

    private static Rejection wrong(String field, String value, List<String> valid) {
        return new Rejection(
                ProblemKind.INVALID_PARAMETER,
                field + " must be one of " + String.join(", ", valid) + ".",
                List.of(new FieldViolation(
                        field, value, "must be one of " + String.join(", ", valid), NearestNames.of(value, valid))));
    }
}
