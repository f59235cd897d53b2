package dev.sluice.workload;

import dev.sluice.quota.Toleration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is added to the pods of one pod set when they are let go.
 *
 * @param podSet its name
 */
public record PodSetUpdate(
        String podSet,
        SortedMap<String, String> labels,
        SortedMap<String, String> annotations,
        SortedMap<String, String> nodeSelector,
        List<Toleration> tolerations) {
    public PodSetUpdate {
        labels = copy(labels);
        annotations = copy(annotations);
        nodeSelector = copy(nodeSelector);
        tolerations = List.copyOf(tolerations);
    }

    private static SortedMap<String, String> copy(SortedMap<String, String> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
