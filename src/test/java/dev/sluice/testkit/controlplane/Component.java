package dev.sluice.testkit.controlplane;

/** A process of the control plane, by the name of its program. In the order in which they start. */
public enum Component {
    ETCD("etcd"),
    API_SERVER("kube-apiserver"),
    CONTROLLER_MANAGER("kube-controller-manager"),
    SCHEDULER("kube-scheduler");

    private final String program;

    Component(String program) {
        this.program = program;
    }

    String program() {
        return program;
    }
}
