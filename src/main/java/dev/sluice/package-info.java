/** Sluice: quotas, borrowing, priority queues and preemption for teams that share a GPU fleet. */
@org.jspecify.annotations.NullMarked
package dev.sluice;
