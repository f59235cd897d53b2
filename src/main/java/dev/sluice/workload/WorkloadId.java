package dev.sluice.workload;

/** Identity of a workload for its whole life; never reused, unlike its name. Ordered as text (the last tie-break). */
public record WorkloadId(String value) implements Comparable<WorkloadId> {
    public WorkloadId {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a workload id cannot be empty");
        }
    }

    @Override
    public int compareTo(WorkloadId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
