/**
 * The engine: given events and a time it decides who is admitted, who is preempted and why the rest waits. Reads no
 * clock, database or cluster: the same input gives the same output. Start at {@link dev.sluice.admission.Engine}.
 */
@NullMarked
package dev.sluice.admission;

import org.jspecify.annotations.NullMarked;
