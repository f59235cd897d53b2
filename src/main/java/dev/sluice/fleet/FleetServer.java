package dev.sluice.fleet;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.fleet.FleetWire.Applied;
import dev.sluice.fleet.FleetWire.Call;
import dev.sluice.fleet.FleetWire.Calls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A simulated fleet that outlives the service: it answers on loopback, so that the service can be killed while the pods go on,
 * and the fleet can be taken away while the service goes on. {@link RemoteFleet} is its client.
 */
public final class FleetServer implements AutoCloseable {
    static {
        // Else head and body of an answer go out apart, and the second waits for the acknowledgement of the first: 40
        // ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private static final int OBSERVATIONS_MAX = 5_000;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int CLIENTS_MAX = 10_000;

    private final SimulatedFleet fleet;
    private final ObservationLog log = new ObservationLog();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    /** Number of the last call that took hold, by client: a call that is sent again does not take hold again. */
    private final Map<String, Long> lastCalls = new HashMap<>();

    private volatile boolean away;

    private FleetServer(SimulatedFleet fleet, HttpServer server) {
        this.fleet = fleet;
        this.server = server;
        fleet.observe(log::append);
        server.createContext("/calls", answering(this::calls));
        server.createContext("/observations", answering(this::observations));
        server.createContext("/jobs", answering(exchange -> new FleetWire.Jobs(fleet.jobs())));
        server.createContext("/capacity", answering(exchange -> new FleetWire.Capacity(fleet.capacity())));
        server.createContext("/effects", answering(exchange -> new FleetWire.Effects(fleet.effects())));
        server.setExecutor(threads);
        server.start();
    }

    /**
     * @param port 0 = any that is free
     * @throws UncheckedIOException if the port is taken
     */
    public static FleetServer start(int port, FleetSettings settings) {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
            return new FleetServer(SimulatedFleet.started(settings), server);
        } catch (IOException taken) {
            throw new UncheckedIOException("the fleet cannot listen on port " + port, taken);
        }
    }

    public URI url() {
        InetSocketAddress address = server.getAddress();
        return URI.create("http://" + address.getAddress().getHostAddress() + ":" + address.getPort());
    }

    /** The fleet itself, for scripts, faults and the audit. */
    public SimulatedFleet fleet() {
        return fleet;
    }

    /** Away: every request is answered 503. Pods go on, and what they do is told when the fleet is back. */
    public void setAway(boolean away) {
        this.away = away;
        if (away) {
            log.close();
        } else {
            log.open();
        }
    }

    private Object calls(HttpExchange exchange) throws IOException {
        Calls calls = FleetWire.read(exchange.getRequestBody().readAllBytes(), Calls.class);
        synchronized (lastCalls) {
            if (lastCalls.size() >= CLIENTS_MAX) {
                lastCalls.clear();
            }
            long last = lastCalls.getOrDefault(calls.client(), 0L);
            long number = calls.first();
            for (Call call : calls.calls()) {
                if (number > last) {
                    apply(call);
                    last = number;
                }
                number++;
            }
            lastCalls.put(calls.client(), last);
            return new Applied(last);
        }
    }

    private void apply(Call call) {
        switch (call.kind()) {
            case CREATE -> fleet.create(Objects.requireNonNull(call.workload()), null, call.fence());
            case RELEASE -> fleet.release(call.id(), Objects.requireNonNull(call.assignment()), call.fence());
            case STOP -> fleet.stop(call.id(), call.fence());
            case ADVANCE_FENCE -> fleet.advanceFence(call.id(), call.fence());
            case LOOK_AT_START -> fleet.lookAtStart(call.id(), call.fence());
        }
    }

    /** The query is the position that the client has. */
    private Object observations(HttpExchange exchange) throws InterruptedException {
        return log.read(Long.parseLong(exchange.getRequestURI().getQuery()), OBSERVATIONS_MAX, PATIENCE);
    }

    private HttpHandler answering(Answer answer) {
        return exchange -> {
            try (exchange) {
                byte[] body = away ? new byte[0] : FleetWire.write(answer.to(exchange));
                exchange.sendResponseHeaders(away ? 503 : 200, away ? -1 : body.length);
                if (!away) {
                    exchange.getResponseBody().write(body);
                }
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
            }
        };
    }

    @Override
    public void close() {
        log.close();
        server.stop(0);
        threads.shutdownNow();
        fleet.close();
    }

    private interface Answer {
        Object to(HttpExchange exchange) throws IOException, InterruptedException;
    }
}
