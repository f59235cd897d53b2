package dev.sluice.quota;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Configurations that need not obey the rules, of whatever objects a test names. */
final class Configurations {
    private Configurations() {}

    /** What is wrong with it as the only object that there is. */
    static List<Violation> broken(Object object) {
        return ConfigurationRules.check(Configuration.EMPTY, with(object)).violations();
    }

    static Configuration with(Object... objects) {
        return new Configuration(
                0,
                byName(Cohort.class, Cohort::name, objects),
                byName(ClusterQueue.class, ClusterQueue::name, objects),
                byName(LocalQueue.class, LocalQueue::key, objects),
                byName(ResourceFlavor.class, ResourceFlavor::name, objects),
                byName(WorkloadPriorityClass.class, WorkloadPriorityClass::name, objects),
                byName(Team.class, Team::name, objects),
                byName(DeviceClass.class, DeviceClass::name, objects));
    }

    private static <T> SortedMap<String, T> byName(Class<T> type, Function<T, String> name, Object... objects) {
        SortedMap<String, T> found = new TreeMap<>();
        for (Object object : objects) {
            if (type.isInstance(object)) {
                T one = type.cast(object);
                found.put(name.apply(one), one);
            }
        }
        return found;
    }

    static Cohort cohort(String name, @Nullable String parent) {
        return new Cohort(name, parent, List.of(), Quantity.of(1));
    }

    static ClusterQueue queue(String name, @Nullable String cohort, ResourceGroup... groups) {
        return new ClusterQueue(
                name,
                cohort,
                null,
                QueueingStrategy.BEST_EFFORT_FIFO,
                List.of(groups),
                PreemptionPolicy.NEVER,
                FlavorFungibility.DEFAULT,
                Quantity.of(1),
                StopPolicy.NONE,
                NamespaceSelector.EVERY,
                List.of());
    }

    static ResourceGroup group(String flavor, ResourceQuota... lines) {
        List<String> covered = new ArrayList<>();
        for (ResourceQuota line : lines) {
            covered.add(line.resource());
        }
        return new ResourceGroup(covered, List.of(new FlavorQuotas(flavor, List.of(lines))));
    }

    static ResourceQuota line(
            String resource, String nominal, @Nullable String borrowingLimit, @Nullable String lendingLimit) {
        return new ResourceQuota(
                resource,
                Quantity.parse(nominal),
                borrowingLimit == null ? null : Quantity.parse(borrowingLimit),
                lendingLimit == null ? null : Quantity.parse(lendingLimit));
    }
}
