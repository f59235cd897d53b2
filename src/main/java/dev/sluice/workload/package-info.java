/**
 * What a workload is: its pod sets, its effective requests as quota lines charge them, its state and priority. Knows
 * quotas only by the names of their lines; must not know how anything is decided. Start at
 * {@link dev.sluice.workload.Workload}.
 */
@NullMarked
package dev.sluice.workload;

import org.jspecify.annotations.NullMarked;
