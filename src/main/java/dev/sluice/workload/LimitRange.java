package dev.sluice.workload;

import dev.sluice.quota.Quantity;
import dev.sluice.workload.PodResources.Container;
import dev.sluice.workload.PodResources.Demand;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/**
 * What a namespace gives to containers that do not say what they need, and demands of what they say: Kubernetes' LimitRange, as the
 * API server applies it to every new pod. What it says of volume claims is no matter of pods.
 */
public record LimitRange(String name, List<Item> items) {
    private static final BinaryOperator<Quantity> MAX = BinaryOperator.maxBy(Comparator.naturalOrder());

    public LimitRange {
        items = List.copyOf(items);
    }

    public enum Scope {
        /** Each container, init containers and sidecars included. */
        CONTAINER,
        /** All containers of a pod, counted as the scheduler counts them, without overhead. */
        POD
    }

    /**
     * @param defaultLimits of containers; those of pods mean nothing
     * @param defaultRequests as the limits
     * @param maxLimitRequestRatio by what a limit may exceed its request at most
     */
    public record Item(
            Scope scope,
            SortedMap<String, Quantity> min,
            SortedMap<String, Quantity> max,
            SortedMap<String, Quantity> defaultLimits,
            SortedMap<String, Quantity> defaultRequests,
            SortedMap<String, Quantity> maxLimitRequestRatio) {
        public Item {
            min = sorted(min);
            max = sorted(max);
            defaultLimits = sorted(defaultLimits);
            defaultRequests = sorted(defaultRequests);
            maxLimitRequestRatio = sorted(maxLimitRequestRatio);
        }
    }

    /**
     * The pod with the defaults of its namespace. What its own limits say of its requests comes first. The API server applies several
     * ranges in no stated order; where two give the same resource, the larger counts, so that no pod takes more than was charged.
     */
    public static PodResources applyAll(List<LimitRange> ranges, PodResources pod) {
        SortedMap<String, Quantity> requests = new TreeMap<>();
        SortedMap<String, Quantity> limits = new TreeMap<>();
        for (LimitRange range : ranges) {
            range.defaults(Item::defaultRequests).forEach((resource, one) -> requests.merge(resource, one, MAX));
            range.defaults(Item::defaultLimits).forEach((resource, one) -> limits.merge(resource, one, MAX));
        }
        Demand given = new Demand(requests, limits);
        PodResources whole = EffectiveRequest.spelledOut(pod);
        return new PodResources(
                giveTo(whole.containers(), given),
                giveTo(whole.initContainers(), given),
                whole.podLevel(),
                whole.overhead());
    }

    /** Of several items of one range the last counts. */
    private SortedMap<String, Quantity> defaults(Function<Item, SortedMap<String, Quantity>> kind) {
        SortedMap<String, Quantity> defaults = new TreeMap<>();
        for (Item item : items) {
            if (item.scope() == Scope.CONTAINER) {
                defaults.putAll(kind.apply(item));
            }
        }
        return defaults;
    }

    private static List<Container> giveTo(List<Container> containers, Demand given) {
        return containers.stream()
                .map(container -> new Container(
                        container.name(),
                        new Demand(
                                or(container.demand().requests(), given.requests()),
                                or(container.demand().limits(), given.limits())),
                        container.sidecar()))
                .toList();
    }

    private static SortedMap<String, Quantity> or(SortedMap<String, Quantity> own, SortedMap<String, Quantity> given) {
        SortedMap<String, Quantity> both = new TreeMap<>(given);
        both.putAll(own);
        return both;
    }

    private static SortedMap<String, Quantity> sorted(SortedMap<String, Quantity> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
