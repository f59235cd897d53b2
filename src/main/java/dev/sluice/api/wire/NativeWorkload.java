package dev.sluice.api.wire;

import dev.sluice.api.wire.WorkloadDraft.PodSetDraft;
import dev.sluice.api.wire.WorkloadRequest.DeviceRequest;
import dev.sluice.api.wire.WorkloadRequest.PodSetRequest;
import dev.sluice.quota.KubernetesNames;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.Resources;
import dev.sluice.quota.Toleration;
import dev.sluice.quota.TolerationRules;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Checks a native request and makes the draft of a workload from it. */
public final class NativeWorkload {
    public static final int POD_SETS_MAX = 18;
    public static final String NAMESPACE_DEFAULT = "default";

    private static final Duration LONGEST = Duration.ofDays(3660);

    private final Mistakes mistakes = new Mistakes();

    private NativeWorkload() {}

    /** @throws Rejection naming every mistake */
    public static WorkloadDraft draft(WorkloadRequest request) {
        return new NativeWorkload().read(request);
    }

    private WorkloadDraft read(WorkloadRequest request) {
        String name = label("name", request.name());
        String namespace = label("namespace", request.namespace() == null ? NAMESPACE_DEFAULT : request.namespace());
        String queue = mistakes.required("queue", request.queue());
        List<PodSetDraft> podSets = podSets(request.podSets());
        Duration expected = duration("expectedDuration", request.expectedDuration(), mistakes);
        Duration max = duration("maxDuration", request.maxDuration(), mistakes);
        mistakes.orThrow();
        return new WorkloadDraft(
                name,
                namespace,
                Objects.requireNonNull(queue),
                ClusterQueueBody.emptyIsNull(request.priorityClass()),
                podSets,
                expected,
                max,
                null,
                null,
                "queue",
                "priorityClass");
    }

    private String label(String field, @Nullable String name) {
        String given = mistakes.required(field, name);
        if (given != null && !KubernetesNames.isLabel(given)) {
            mistakes.add(field, given, KubernetesNames.LABEL_RULE);
        }
        return given == null ? "" : given;
    }

    private List<PodSetDraft> podSets(@Nullable List<PodSetRequest> requests) {
        if (requests == null || requests.isEmpty()) {
            mistakes.add("podSets", null, "must have at least one pod set");
            return List.of();
        }
        if (requests.size() > POD_SETS_MAX) {
            mistakes.add("podSets", requests.size() + " pod sets", "must be at most " + POD_SETS_MAX);
            return List.of();
        }
        List<PodSetDraft> drafts = new ArrayList<>(requests.size());
        Set<String> names = new HashSet<>();
        for (int index = 0; index < requests.size(); index++) {
            PodSetRequest request = requests.get(index);
            if (request == null) {
                mistakes.add("podSets[" + index + "]", null, "must be an object");
                continue;
            }
            PodSetDraft draft = podSet("podSets[" + index + "].", request);
            if (!names.add(draft.name())) {
                mistakes.add("podSets[" + index + "].name", draft.name(), "must be another than the names before it");
            }
            drafts.add(draft);
        }
        return drafts;
    }

    private PodSetDraft podSet(String place, PodSetRequest request) {
        String name = label(place + "name", request.name() == null ? "main" : request.name());
        int count = request.count() == null ? 1 : request.count();
        if (count < 1) {
            mistakes.add(place + "count", Integer.toString(count), "must be at least 1");
        }
        Integer minCount = request.minCount();
        if (minCount != null && (minCount < 1 || minCount > count)) {
            mistakes.add(place + "minCount", minCount.toString(), "must be from 1 to the count, which is " + count);
        }
        SortedMap<String, BigDecimal> amounts = new TreeMap<>();
        requests(place + "requests.", request.requests(), amounts);
        devices(place + "deviceRequests", request.deviceRequests(), amounts);
        if (isEmpty(request.requests())
                && (request.deviceRequests() == null || request.deviceRequests().isEmpty())) {
            mistakes.add(place + "requests", null, "or deviceRequests must ask for something");
        }
        List<Toleration> tolerations = ResourceFlavorBody.tolerations(request.tolerations());
        for (int index = 0; index < tolerations.size(); index++) {
            TolerationRules.check(place + "tolerations[" + index + "]", tolerations.get(index))
                    .forEach(broken -> mistakes.add(broken.field(), broken.value(), broken.rule()));
        }
        return new PodSetDraft(
                name,
                Math.max(0, count),
                minCount,
                amounts,
                labels(place + "nodeSelector.", request.nodeSelector(), mistakes),
                List.of(),
                tolerations);
    }

    private static boolean isEmpty(@Nullable Map<String, String> map) {
        return map == null || map.isEmpty();
    }

    private void requests(String place, @Nullable Map<String, String> requests, SortedMap<String, BigDecimal> amounts) {
        ClusterQueueBody.withoutNulls(place, requests, mistakes).forEach((resource, text) -> {
            Quantity amount = amount(place + resource, resource, text, mistakes);
            if (amount != null) {
                amounts.put(resource, amount.value());
            }
        });
    }

    private void devices(String place, @Nullable List<DeviceRequest> requests, SortedMap<String, BigDecimal> amounts) {
        List<DeviceRequest> given = requests == null ? List.of() : requests;
        for (int index = 0; index < given.size(); index++) {
            DeviceRequest request = given.get(index);
            String deviceClass = request == null
                    ? null
                    : mistakes.required(place + "[" + index + "].deviceClass", request.deviceClass());
            if (request == null || deviceClass == null) {
                continue;
            }
            if (!KubernetesNames.isSubdomain(deviceClass)) {
                mistakes.add(place + "[" + index + "].deviceClass", deviceClass, KubernetesNames.SUBDOMAIN_RULE);
            }
            long count = request.count() == null ? 1 : request.count();
            if (count < 1) {
                mistakes.add(place + "[" + index + "].count", Long.toString(count), "must be at least 1");
            } else {
                amounts.merge(Resources.ofDeviceClass(deviceClass), BigDecimal.valueOf(count), BigDecimal::add);
            }
        }
    }

    /** What a pod asks for of a resource; null = wrong, and told so. */
    public static @Nullable Quantity amount(String field, String resource, String text, Mistakes mistakes) {
        if (!KubernetesNames.isResource(resource)) {
            mistakes.add(field, resource, KubernetesNames.RESOURCE_RULE);
            return null;
        }
        if (resource.equals(Resources.PODS)) {
            mistakes.add(field, text, "must not be requested: pods are counted by themselves");
            return null;
        }
        Quantity amount = mistakes.quantity(field, text);
        String broken = amount == null ? null : Resources.ruleBrokenBy(resource, amount);
        if (broken != null) {
            mistakes.add(field, text, broken);
            return null;
        }
        return amount;
    }

    /** Labels with valid keys and values. */
    public static SortedMap<String, String> labels(
            String place, @Nullable Map<String, String> labels, Mistakes mistakes) {
        SortedMap<String, String> checked = new TreeMap<>();
        ClusterQueueBody.withoutNulls(place, labels, mistakes).forEach((key, value) -> {
            if (!KubernetesNames.isLabelKey(key)) {
                mistakes.add(place + key, key, KubernetesNames.LABEL_KEY_RULE);
            }
            if (!KubernetesNames.isLabelValue(value)) {
                mistakes.add(place + key, value, KubernetesNames.LABEL_VALUE_RULE);
            }
            checked.put(key, value);
        });
        return checked;
    }

    /** Null = not given, or wrong and told so. */
    public static @Nullable Duration duration(String field, @Nullable String text, Mistakes mistakes) {
        if (text == null) {
            return null;
        }
        try {
            Duration duration = Duration.parse(text);
            if (duration.isPositive() && duration.compareTo(LONGEST) <= 0) {
                return duration;
            }
        } catch (DateTimeException malformed) {
            // told below, as a duration that is out of range
        }
        mistakes.add(field, text, "must be a positive ISO 8601 duration of at most ten years, such as PT2H or P1DT12H");
        return null;
    }
}
