package dev.sluice.bench;

import dev.sluice.fleet.FleetServer;
import dev.sluice.fleet.FleetSettings;
import dev.sluice.platform.EmbeddedDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The three parts that can fail apart from each other: the database, the fleet (in this process, so that it outlives the service
 * and its audit can be read), and the service as a child process under one address.
 */
final class FaultWorld implements AutoCloseable {
    /** Shorter than a start, so that a restarted service need not wait for the lead of the one that was killed. */
    private static final String LEADERSHIP_TIME_TO_LIVE = "1s";

    private static final FleetSettings FLEET = FleetSettings.unlimited()
            .withStartDelay(Duration.ofMillis(20))
            .withTerminationDelay(Duration.ofMillis(50))
            .withRetention(Duration.ofHours(24))
            .withAudit();

    private final EmbeddedDatabase database = EmbeddedDatabase.temporary();
    private final FleetServer fleet = FleetServer.start(0, FLEET);
    private final int port = ServiceProcess.freePort();
    private final Path folder;
    private final Path log;
    private final Path archive;
    private @Nullable ServiceProcess service;
    private final RestClient rest = new RestClient(java.net.URI.create("http://127.0.0.1:" + port));

    FaultWorld() {
        try {
            folder = Files.createTempDirectory("sluice-faults-");
            log = folder.resolve("service.log");
            archive = folder.resolve("service.jsa");
        } catch (IOException failed) {
            throw new UncheckedIOException("no temporary file can be made", failed);
        }
    }

    EmbeddedDatabase database() {
        return database;
    }

    FleetServer fleet() {
        return fleet;
    }

    RestClient rest() {
        return rest;
    }

    Path log() {
        return log;
    }

    /** Starts a service in place of the last, which must have ended; does not wait. */
    ServiceProcess startService() {
        return startService(ServiceJvm.quickToStart(archive));
    }

    private ServiceProcess startService(ServiceJvm jvm) {
        if (service != null && service.isAlive()) {
            throw new IllegalStateException("the service runs already");
        }
        ServiceProcess started = ServiceProcess.start(
                database,
                port,
                jvm,
                Map.of("sluice.scheduling.leadership-time-to-live", LEADERSHIP_TIME_TO_LIVE),
                fleet.url(),
                log);
        service = started;
        return started;
    }

    /** A first start and a proper end, which leave the archive of classes for the starts to come. */
    void rehearse() throws InterruptedException {
        try (ServiceProcess rehearsal = startService(ServiceJvm.thatArchives(archive))) {
            rehearsal.awaitReady();
        }
    }

    ServiceProcess service() {
        if (service == null) {
            throw new IllegalStateException("no service was started");
        }
        return service;
    }

    /** Stops the service as an operator would, so that its tables hold the last word. */
    void stopService() {
        service().close();
    }

    @Override
    public void close() {
        rest.close();
        if (service != null) {
            service.close();
        }
        fleet.close();
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
