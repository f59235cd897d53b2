package dev.sluice.quota;

/** One counted thing: a resource on a flavor. Ordered by flavor, then resource. */
public record QuotaLine(String flavor, String resource) implements Comparable<QuotaLine> {
    @Override
    public int compareTo(QuotaLine other) {
        int byFlavor = flavor.compareTo(other.flavor);
        return byFlavor != 0 ? byFlavor : resource.compareTo(other.resource);
    }
}
