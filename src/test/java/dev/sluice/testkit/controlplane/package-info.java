/**
 * A real Kubernetes control plane for tests: etcd, API server, controller manager and scheduler as child processes, each of which
 * can be paused, stopped and started; every request on record; nodes that exist by name only, and a kubelet that moves their pods
 * as a test wants. Start at {@link dev.sluice.testkit.controlplane.ControlPlane}.
 */
@NullMarked
package dev.sluice.testkit.controlplane;

import org.jspecify.annotations.NullMarked;
