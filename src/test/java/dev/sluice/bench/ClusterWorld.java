package dev.sluice.bench;

import static dev.sluice.testkit.controlplane.FakeNode.aNode;

import dev.sluice.platform.EmbeddedDatabase;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.ControlPlaneOptions;
import dev.sluice.testkit.controlplane.FakeKubelet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A real control plane, a database, and replicas of the packaged service as processes of their own between the two. */
final class ClusterWorld implements AutoCloseable {
    /** Shorter than a start, so that a restarted service need not wait for the lead of the one that was killed. */
    static final String LEADERSHIP_TIME_TO_LIVE = "1s";

    private final ControlPlane plane;
    private final FakeKubelet kubelet;
    private final EmbeddedDatabase database = EmbeddedDatabase.temporary();
    private final List<ServiceProcess> services = new ArrayList<>();
    private final Path folder;
    private final Path log;
    private final Path archive;

    ClusterWorld() {
        try {
            folder = Files.createTempDirectory("sluice-cluster-world-");
        } catch (IOException failed) {
            throw new UncheckedIOException("no temporary folder can be made", failed);
        }
        log = folder.resolve("service.log");
        archive = folder.resolve("service.jsa");
        plane = ControlPlane.start(ControlPlaneOptions.DEFAULT.withBodiesAudited());
        plane.createNamespace(JobFlow.NAMESPACE);
        aNode("node-1").addTo(plane.client());
        kubelet = new FakeKubelet(plane.client());
    }

    ControlPlane plane() {
        return plane;
    }

    EmbeddedDatabase database() {
        return database;
    }

    /** A first start and a proper end, which leave the archive of classes for the starts to come. */
    void rehearse() throws InterruptedException {
        int port = ServiceProcess.freePort();
        try (ServiceProcess rehearsal =
                start(port, ServiceJvm.thatArchives(archive), plane.kubeconfig(ControlPlane.SLUICE), Map.of())) {
            rehearsal.awaitReady();
        }
    }

    /** Starts a replica; does not wait. */
    ServiceProcess startService(int port, Path kubeconfig, Map<String, String> settings) {
        return start(port, ServiceJvm.quickToStart(archive), kubeconfig, settings);
    }

    private ServiceProcess start(int port, ServiceJvm jvm, Path kubeconfig, Map<String, String> settings) {
        Map<String, String> properties = new TreeMap<>(settings);
        properties.put("sluice.scheduling.leadership-time-to-live", LEADERSHIP_TIME_TO_LIVE);
        properties.put("sluice.cluster", "kubernetes");
        properties.put("sluice.kubernetes.kubeconfig", kubeconfig.toString());
        ServiceProcess started = ServiceProcess.start(database, port, jvm, properties, null, log);
        services.add(started);
        return started;
    }

    @Override
    public void close() {
        services.stream().filter(ServiceProcess::isAlive).forEach(ServiceProcess::close);
        kubelet.close();
        plane.close();
        database.close();
        try {
            Files.deleteIfExists(archive);
            Files.deleteIfExists(log);
            Files.deleteIfExists(folder);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot remove " + folder, failed);
        }
    }
}
