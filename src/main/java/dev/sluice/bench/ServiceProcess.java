package dev.sluice.bench;

import dev.sluice.platform.EmbeddedDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The service as a child process, as it is run in production: its own JVM, killed or stopped from outside. */
final class ServiceProcess implements AutoCloseable {
    private static final Duration START_PATIENCE = Duration.ofSeconds(60);
    /** Writing an archive of classes at the end takes a loaded machine half a minute. */
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(90);

    private final Process process;
    private final URI url;
    private final Path log;

    private ServiceProcess(Process process, URI url, Path log) {
        this.process = process;
        this.url = url;
        this.log = log;
    }

    /**
     * Starts it and does not wait.
     *
     * @param properties configuration of the service
     * @param fleet URL of the fleet; null = the service's own
     * @param log where its output is appended
     */
    static ServiceProcess start(
            EmbeddedDatabase database,
            int port,
            ServiceJvm jvm,
            Map<String, String> properties,
            @Nullable URI fleet,
            Path log) {
        List<String> arguments = List.of("serve", "--port", Integer.toString(port));
        ProcessBuilder builder = new ProcessBuilder(jvm.command(properties, arguments)).redirectErrorStream(true);
        builder.environment().put("SLUICE_JDBC_URL", database.jdbcUrl());
        builder.environment().put("SLUICE_JDBC_USER", database.user());
        builder.environment().put("SLUICE_JDBC_PASSWORD", database.password());
        builder.environment().remove("SLUICE_TOKEN");
        builder.environment().remove("SLUICE_FLEET_URL");
        if (fleet != null) {
            builder.environment().put("SLUICE_FLEET_URL", fleet.toString());
        }
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        try {
            return new ServiceProcess(builder.start(), URI.create("http://127.0.0.1:" + port), log);
        } catch (IOException failed) {
            throw new UncheckedIOException("the service's process could not be started", failed);
        }
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException("no free port on loopback", failed);
        }
    }

    URI url() {
        return url;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether it answers that it is ready, asked once. */
    boolean isReady(HttpClient client) throws InterruptedException {
        HttpRequest question = HttpRequest.newBuilder(url.resolve("/q/health/ready"))
                .timeout(Duration.ofSeconds(2))
                .build();
        try {
            return client.send(question, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** @throws BenchFailed if it ends or stays silent; the message holds the end of its log */
    void awaitReady() throws InterruptedException {
        try (HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(2))
                .build()) {
            long deadline = System.nanoTime() + START_PATIENCE.toNanos();
            while (!isReady(client)) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new BenchFailed("the service did not become ready:\n" + endOfLog());
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    String endOfLog() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
        } catch (IOException unreadable) {
            return "(no log: " + unreadable.getMessage() + ")";
        }
    }

    /** SIGKILL: no hook of the process runs. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** SIGSTOP: it stands still in the middle of whatever it does, and its connections stay open. */
    void pause() throws InterruptedException {
        signal("STOP");
    }

    void resume() throws InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws InterruptedException {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new BenchFailed("the service could not be sent SIG" + name);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("the service could not be sent SIG" + name, failed);
        }
    }

    /** Processor time that it has used, in seconds; 0 = the system does not tell. */
    double cpuSeconds() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis() / 1000.0;
    }

    /** Most memory that it ever held, in MiB; 0 = the system does not tell. */
    double memoryPeakMiB() {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        try {
            return Files.exists(status)
                    ? Files.readAllLines(status).stream()
                            .filter(line -> line.startsWith("VmHWM:"))
                            .mapToDouble(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024.0)
                            .findFirst()
                            .orElse(0)
                    : 0;
        } catch (IOException gone) {
            return 0;
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException stopping) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
