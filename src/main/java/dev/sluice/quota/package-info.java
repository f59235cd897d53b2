/**
 * The cohort tree: who may use how much. Decides what a node of the tree can still use, given nominal quotas, limits and
 * usage, and holds the configuration records that quotas are made of. Must not know workloads, time or where anything is
 * stored. Start at {@link dev.sluice.quota.Configuration}.
 */
@NullMarked
package dev.sluice.quota;

import org.jspecify.annotations.NullMarked;
