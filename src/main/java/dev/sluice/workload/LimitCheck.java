package dev.sluice.workload;

import dev.sluice.quota.Quantity;
import dev.sluice.workload.LimitRange.Item;
import dev.sluice.workload.LimitRange.Scope;
import dev.sluice.workload.PodResources.Container;
import dev.sluice.workload.PodResources.Demand;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Whether the API server will take a pod in a namespace with limits; by the rules of its admission plugin {@code LimitRanger}. */
public final class LimitCheck {
    private final List<Breach> breaches = new ArrayList<>();
    private final String range;
    private final String path;
    private final Demand demand;

    private LimitCheck(String range, String path, Demand demand) {
        this.range = range;
        this.path = path;
        this.demand = demand;
    }

    /**
     * @param path below the pod's specification, such as {@code containers[0].resources.limits.cpu}
     * @param value null = there is none, and there must be one
     * @param rule fit for the pod's author to read
     */
    public record Breach(String path, @Nullable String value, String rule) {}

    /** @param pod with its defaults, as {@link LimitRange#applyAll} makes it */
    public static List<Breach> of(List<LimitRange> ranges, PodResources pod) {
        List<Breach> all = new ArrayList<>();
        if (ranges.isEmpty()) {
            return all;
        }
        // A template is read without such a mistake: it comes from a default.
        checks("", Scope.CONTAINER, pod).forEach(check -> all.addAll(check.withinLimits()));
        for (LimitRange range : ranges) {
            for (Item item : range.items()) {
                for (LimitCheck check : checks(range.name(), item.scope(), pod)) {
                    all.addAll(check.against(item));
                }
            }
        }
        return all;
    }

    private static List<LimitCheck> checks(String range, Scope scope, PodResources pod) {
        List<LimitCheck> checks = new ArrayList<>();
        if (scope == Scope.POD) {
            checks.add(new LimitCheck(range, "resources", together(pod)));
            return checks;
        }
        for (int index = 0; index < pod.containers().size(); index++) {
            Container container = pod.containers().get(index);
            checks.add(new LimitCheck(range, "containers[" + index + "].resources", container.demand()));
        }
        for (int index = 0; index < pod.initContainers().size(); index++) {
            Container container = pod.initContainers().get(index);
            checks.add(new LimitCheck(range, "initContainers[" + index + "].resources", container.demand()));
        }
        return checks;
    }

    private static Demand together(PodResources pod) {
        return new Demand(
                quantities(EffectiveRequest.withoutOverhead(pod, Demand::requests)),
                quantities(EffectiveRequest.withoutOverhead(pod, Demand::limits)));
    }

    private static SortedMap<String, Quantity> quantities(SortedMap<String, BigDecimal> amounts) {
        SortedMap<String, Quantity> quantities = new TreeMap<>();
        amounts.forEach((resource, amount) -> quantities.put(resource, Quantity.of(amount)));
        return quantities;
    }

    private List<Breach> against(Item item) {
        item.min().forEach(this::atLeast);
        item.max().forEach(this::atMost);
        item.maxLimitRequestRatio().forEach(this::inProportion);
        return breaches;
    }

    private List<Breach> withinLimits() {
        demand.limits().forEach((resource, limit) -> {
            Quantity request = demand.requests().get(resource);
            if (request != null && limit.compareTo(request) < 0) {
                breaches.add(new Breach(
                        path + ".limits." + resource,
                        limit.toString(),
                        "must be at least its request, which is " + request
                                + "; what the template leaves out is given by a LimitRange of the namespace"));
            }
        });
        return breaches;
    }

    private void atLeast(String resource, Quantity min) {
        Quantity request = demand.requests().get(resource);
        Quantity limit = demand.limits().get(resource);
        String rule = "must be at least " + min;
        if (request == null || request.compareTo(min) < 0) {
            breach("requests", resource, request, rule);
        } else if (limit != null && limit.compareTo(min) < 0) {
            breach("limits", resource, limit, rule);
        }
    }

    private void atMost(String resource, Quantity max) {
        Quantity request = demand.requests().get(resource);
        Quantity limit = demand.limits().get(resource);
        String rule = "must be at most " + max;
        if (limit == null || limit.compareTo(max) > 0) {
            breach("limits", resource, limit, rule);
        } else if (request != null && request.compareTo(max) > 0) {
            breach("requests", resource, request, rule);
        }
    }

    private void inProportion(String resource, Quantity ratio) {
        Quantity request = demand.requests().get(resource);
        Quantity limit = demand.limits().get(resource);
        if (request == null || request.value().signum() == 0) {
            breach(
                    "requests",
                    resource,
                    request,
                    "must be given, since its limit may be at most " + ratio + " times it");
        } else if (limit == null
                || limit.value().signum() == 0
                || limit.value().compareTo(request.value().multiply(ratio.value())) > 0) {
            breach("limits", resource, limit, "must be at most " + ratio + " times its request, which is " + request);
        }
    }

    private void breach(String side, String resource, @Nullable Quantity value, String rule) {
        breaches.add(new Breach(
                path + "." + side + "." + resource,
                value == null ? null : value.toString(),
                rule + ", says the LimitRange " + range + " of the namespace"));
    }
}
