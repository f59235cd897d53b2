package dev.sluice.testkit;

import dev.sluice.quota.AdmissionMode;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.PreemptionPolicy;
import dev.sluice.quota.PreemptionPolicy.BorrowWithinCohort;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.quota.StopPolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A ClusterQueue, line by line. {@link #borrowAtMost} and {@link #lendAtMost} speak of the line named last. */
public final class QueueBuilder {
    private final String name;
    private final @Nullable String cohort;
    private final Map<String, Map<String, ResourceQuota>> quotas = new LinkedHashMap<>();
    private String lastFlavor = ClusterBuilder.FLAVOR;
    private String lastResource = ClusterBuilder.GPU;
    private WithinClusterQueue within = WithinClusterQueue.NEVER;
    private ReclaimWithinCohort reclaim = ReclaimWithinCohort.NEVER;
    private BorrowWithinCohort borrow = BorrowWithinCohort.NEVER;
    private QueueingStrategy strategy = QueueingStrategy.BEST_EFFORT_FIFO;
    private FlavorFungibility fungibility = FlavorFungibility.DEFAULT;
    private StopPolicy stopPolicy = StopPolicy.NONE;
    private Quantity weight = Quantity.of(1);
    private AdmissionMode admissionMode = AdmissionMode.NONE;
    private @Nullable NamespaceSelector namespaceSelector = NamespaceSelector.EVERY;
    private List<String> checks = List.of();
    private final SortedMap<String, List<String>> checksOnFlavors = new TreeMap<>();

    public QueueBuilder(String name, @Nullable String cohort) {
        this.name = name;
        this.cohort = cohort;
    }

    public QueueBuilder gpus(long nominal) {
        return quota(ClusterBuilder.GPU, Long.toString(nominal));
    }

    public QueueBuilder quota(String resource, String nominal) {
        return quota(ClusterBuilder.FLAVOR, resource, nominal);
    }

    public QueueBuilder quota(String flavor, String resource, String nominal) {
        lastFlavor = flavor;
        lastResource = resource;
        put(new ResourceQuota(resource, Quantity.parse(nominal), null, null));
        return this;
    }

    public QueueBuilder borrowAtMost(long limit) {
        ResourceQuota line = last();
        put(new ResourceQuota(line.resource(), line.nominal(), Quantity.of(limit), line.lendingLimit()));
        return this;
    }

    public QueueBuilder lendAtMost(long limit) {
        ResourceQuota line = last();
        put(new ResourceQuota(line.resource(), line.nominal(), line.borrowingLimit(), Quantity.of(limit)));
        return this;
    }

    private void put(ResourceQuota line) {
        quotas.computeIfAbsent(lastFlavor, flavor -> new LinkedHashMap<>()).put(line.resource(), line);
    }

    private ResourceQuota last() {
        Map<String, ResourceQuota> lines = quotas.get(lastFlavor);
        ResourceQuota line = lines == null ? null : lines.get(lastResource);
        if (line == null) {
            throw new IllegalStateException("name a line first");
        }
        return line;
    }

    public QueueBuilder preemptsLower() {
        within = WithinClusterQueue.LOWER_PRIORITY;
        return this;
    }

    public QueueBuilder preemptsLowerOrNewer() {
        within = WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY;
        return this;
    }

    public QueueBuilder reclaimsAny() {
        reclaim = ReclaimWithinCohort.ANY;
        return this;
    }

    public QueueBuilder reclaimsLower() {
        reclaim = ReclaimWithinCohort.LOWER_PRIORITY;
        return this;
    }

    /** @param maxPriorityThreshold null = none */
    public QueueBuilder preemptsWhileBorrowing(@Nullable Integer maxPriorityThreshold) {
        borrow = new BorrowWithinCohort(true, maxPriorityThreshold);
        return this;
    }

    public QueueBuilder strict() {
        strategy = QueueingStrategy.STRICT_FIFO;
        return this;
    }

    public QueueBuilder fungibility(FlavorFungibility chosen) {
        fungibility = chosen;
        return this;
    }

    public QueueBuilder stop(StopPolicy policy) {
        stopPolicy = policy;
        return this;
    }

    /** Its LocalQueues take turns by what they used of late. */
    public QueueBuilder goesByUsage() {
        admissionMode = AdmissionMode.USAGE_BASED;
        return this;
    }

    /** In fair sharing; of a cohort, if this is what a cohort owns. */
    public QueueBuilder weighs(String exactly) {
        weight = Quantity.parse(exactly);
        return this;
    }

    Quantity weight() {
        return weight;
    }

    /** @param selector null = no namespace may submit */
    public QueueBuilder namespaces(@Nullable NamespaceSelector selector) {
        namespaceSelector = selector;
        return this;
    }

    /** Flavors with the same resources are alternatives; others stand in a group of their own. */
    List<ResourceGroup> groups() {
        Map<List<String>, List<FlavorQuotas>> byResources = new LinkedHashMap<>();
        quotas.forEach((flavor, lines) -> byResources
                .computeIfAbsent(lines.keySet().stream().sorted().toList(), resources -> new ArrayList<>())
                .add(new FlavorQuotas(flavor, List.copyOf(lines.values()))));
        List<ResourceGroup> groups = new ArrayList<>();
        byResources.forEach((resources, flavors) -> groups.add(new ResourceGroup(resources, flavors)));
        return groups;
    }

    /** Names of admission checks. */
    public QueueBuilder checks(String... names) {
        checks = List.of(names);
        return this;
    }

    public QueueBuilder checkOnFlavors(String check, String... flavors) {
        checksOnFlavors.put(check, List.of(flavors));
        return this;
    }

    public ClusterQueue build() {
        return new ClusterQueue(
                name,
                cohort,
                null,
                strategy,
                groups(),
                new PreemptionPolicy(within, reclaim, borrow),
                fungibility,
                weight,
                stopPolicy,
                namespaceSelector,
                checks,
                checksOnFlavors,
                admissionMode);
    }
}
