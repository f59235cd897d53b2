package dev.sluice.testkit.controlplane;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * @param featureGates given to API server, controller manager and scheduler alike
 * @param bodiesAudited whether the audit log has the bodies of what changes Jobs and pods, whoever asks for it
 */
public record ControlPlaneOptions(SortedMap<String, Boolean> featureGates, boolean bodiesAudited) {
    public static final ControlPlaneOptions DEFAULT = new ControlPlaneOptions(new TreeMap<>(), false);

    public ControlPlaneOptions {
        featureGates = Collections.unmodifiableSortedMap(new TreeMap<>(featureGates));
    }

    public ControlPlaneOptions with(String gate, boolean on) {
        SortedMap<String, Boolean> gates = new TreeMap<>(featureGates);
        gates.put(gate, on);
        return new ControlPlaneOptions(gates, bodiesAudited);
    }

    public ControlPlaneOptions withBodiesAudited() {
        return new ControlPlaneOptions(featureGates, true);
    }

    String gatesFlag() {
        StringBuilder flag = new StringBuilder("--feature-gates=");
        featureGates.forEach(
                (gate, on) -> flag.append(gate).append('=').append(on).append(','));
        return flag.toString().replaceFirst(",$", "");
    }
}
