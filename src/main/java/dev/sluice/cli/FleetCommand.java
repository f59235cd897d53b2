package dev.sluice.cli;

import dev.sluice.fleet.FleetNode;
import dev.sluice.fleet.FleetServer;
import dev.sluice.fleet.FleetSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a simulated fleet by itself, for {@code serve --fleet-url}; its pods go on while the service is away. */
@Command(name = "fleet", hidden = true, description = "Run a simulated fleet as a process of its own, on loopback.")
final class FleetCommand implements Callable<Integer> {
    /** The service may be away for long; what ended meanwhile must still be there. */
    private static final Duration RETENTION = Duration.ofDays(1);

    @Option(names = "--port", defaultValue = "0", description = "Port to listen on. Default: one that is free.")
    int port;

    @Option(names = "--speed", defaultValue = "1", description = "What durations are divided by. Default: 1.")
    double speed;

    @Option(
            names = "--nodes",
            defaultValue = "",
            description = "Such as '5xgpu nvidia.com/gpu=8,cpu=64 zone=a'. Default: no limit of capacity.")
    String nodes = "";

    @Override
    public Integer call() throws InterruptedException {
        List<FleetNode> parsed;
        try {
            parsed = FleetNode.parse(nodes);
        } catch (IllegalArgumentException wrong) {
            throw CommandFailed.wrongUse(String.valueOf(wrong.getMessage()));
        }
        FleetServer server = FleetServer.start(
                port, FleetSettings.of(parsed).withSpeed(speed).withRetention(RETENTION));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        System.out.println("The fleet answers on " + server.url());
        new CountDownLatch(1).await();
        return SluiceCommand.DONE;
    }
}
