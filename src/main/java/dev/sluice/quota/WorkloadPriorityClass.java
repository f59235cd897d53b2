package dev.sluice.quota;

/** A named priority. Its value orders queues and preemption; pods' own priorities are untouched. */
public record WorkloadPriorityClass(String name, int value, String description) {}
