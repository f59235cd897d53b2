/**
 * Answers the API server before a Job is stored: holds what names a queue, refuses what could never run or would change what quota was
 * given for. Decides from the request and what is in memory; must not write to the cluster, but for its own certificate. Start at
 * {@link dev.sluice.kubernetes.webhook.JobDefaults} and {@link dev.sluice.kubernetes.webhook.JobRules}.
 */
@NullMarked
package dev.sluice.kubernetes.webhook;

import org.jspecify.annotations.NullMarked;
