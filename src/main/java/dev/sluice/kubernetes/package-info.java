/**
 * A real Kubernetes cluster behind the cluster port: makes batch/v1 Jobs follow what the leader committed, and tells what they do.
 * Decides how a Job gets from what is seen to what is wanted, one API call at a time; must not know why it is wanted, nor touch a
 * Job that Sluice does not manage. Start at {@link dev.sluice.kubernetes.JobPlan}, the table of what to do, and
 * {@link dev.sluice.kubernetes.JobReconciler}, which does it.
 */
@NullMarked
package dev.sluice.kubernetes;

import org.jspecify.annotations.NullMarked;
