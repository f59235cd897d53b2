package dev.sluice.cli;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** Starts the service in this process and stays until it ends. */
final class ServiceRun {
    private static volatile Runnable whenReady = () -> {};

    private ServiceRun() {}

    /**
     * @param configuration properties that override every configuration file and environment variable
     * @param ready called once the service answers
     * @return the exit code of the service
     */
    static int untilStopped(Map<String, String> configuration, Runnable ready) {
        configuration.forEach(System::setProperty);
        whenReady = ready;
        AtomicInteger exitCode = new AtomicInteger();
        Quarkus.run(Announced.class, (code, failure) -> {
            exitCode.set(failure == null ? code : SluiceCommand.FAILED);
            if (failure != null) {
                tell(failure);
            }
        });
        return exitCode.get();
    }

    /** Quarkus has logged what failed while it started; only a failure before its log was set up still has its trace untold. */
    private static void tell(Throwable failure) {
        if (failure instanceof LinkageError) {
            failure.printStackTrace();
        }
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        System.err.println("sluice: the service could not start: "
                + Objects.requireNonNullElse(root.getMessage(), root.getClass().getName()));
    }

    /** Fails in words, before anything was started, if something else listens on the port. */
    static void requireFreePort(String host, int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
        } catch (IOException e) {
            throw CommandFailed.failed("cannot listen on " + host + ":" + port + " (" + e.getMessage() + ").\n"
                    + "  Something else listens there, perhaps another Sluice. Stop it, or choose another port: --port "
                    + (port + 1));
        }
    }

    /** Runs inside the started service: tells that it is ready, then waits for its end. */
    public static final class Announced implements QuarkusApplication {
        public Announced() {}

        @Override
        public int run(String... arguments) {
            whenReady.run();
            Quarkus.waitForExit();
            return SluiceCommand.DONE;
        }
    }
}
