package dev.sluice.testkit.controlplane;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * An API server that is reached by plain HTTP and passes on what it is asked to the real one; or, while a test wants it so, answers in
 * its place with an error. Watches that are open stay open meanwhile. It takes HTTP/1.1 with bodies of a stated length, one request at
 * a time on a connection.
 */
public final class FaultyApiServer implements AutoCloseable {
    private static final Set<String> WRITES = Set.of("POST", "PUT", "PATCH", "DELETE");

    private final ServerSocket listener;
    private final int target;
    private final SSLSocketFactory tls;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<Refusal> refusals = new CopyOnWriteArrayList<>();
    private volatile @Nullable Fault fault;

    FaultyApiServer(int target, SSLSocketFactory tls) {
        this.target = target;
        this.tls = tls;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException("no port for a faulty API server", failed);
        }
        Thread.ofVirtual().start(this::accept);
    }

    /**
     * @param status of the answer
     * @param reason as Kubernetes names it, such as {@code Conflict}
     * @param writesOnly whether reads are passed on
     * @param retryAfterSeconds 0 = the answer does not say
     */
    public record Fault(int status, String reason, String message, boolean writesOnly, int retryAfterSeconds) {
        private String answer() {
            String body = """
                    {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "%s", "code": %d, \
                    "message": "%s"}""".formatted(reason, status, message.replace("\"", "\\\""));
            return """
                    HTTP/1.1 %d %s\r
                    Content-Type: application/json\r
                    %sContent-Length: %d\r
                    \r
                    %s""".formatted(
                            status,
                            reason,
                            retryAfterSeconds == 0 ? "" : "Retry-After: " + retryAfterSeconds + "\r\n",
                            body.length(),
                            body);
        }
    }

    /** A request that was answered in the place of the real server. */
    public record Refusal(String method, String path) {}

    /** From now on, every request that comes. */
    public void answerWith(Fault chosen) {
        fault = chosen;
    }

    public void letThrough() {
        fault = null;
    }

    /** In the order in which they came. */
    public List<Refusal> refusals() {
        return List.copyOf(refusals);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                sockets.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (IOException over) {
            close();
        }
    }

    private void serve(Socket client) {
        try (client) {
            InputStream in = new BufferedInputStream(client.getInputStream());
            Socket server = null;
            for (Head head = Head.read(in); head != null; head = Head.read(in)) {
                byte[] body = in.readNBytes(head.contentLength());
                Fault now = fault;
                if (now != null && !(now.writesOnly() && !WRITES.contains(head.method()))) {
                    refusals.add(new Refusal(head.method(), head.path()));
                    client.getOutputStream().write(now.answer().getBytes(StandardCharsets.US_ASCII));
                    continue;
                }
                if (server == null) {
                    server = tls.createSocket(InetAddress.getLoopbackAddress(), target);
                    sockets.add(server);
                    Socket answering = server;
                    Thread.ofVirtual().start(() -> copy(answering, client));
                }
                OutputStream out = server.getOutputStream();
                out.write(head.text().getBytes(StandardCharsets.ISO_8859_1));
                out.write(body);
                out.flush();
                if (head.upgrades()) {
                    in.transferTo(out);
                }
            }
        } catch (IOException over) {
            // One side is gone, which is for the other to notice.
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException over) {
            // As above.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot close the faulty API server", failed);
        }
    }

    /** Request line and headers, as they came, with the empty line at their end. */
    private record Head(String text) {
        private static final String END = "\r\n\r\n";

        /** Null = the client sends no more. */
        static @Nullable Head read(InputStream in) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int next = in.read(); next >= 0; next = in.read()) {
                bytes.write(next);
                if (next == '\n' && bytes.toString(StandardCharsets.ISO_8859_1).endsWith(END)) {
                    return new Head(bytes.toString(StandardCharsets.ISO_8859_1));
                }
            }
            return null;
        }

        String method() {
            return text.substring(0, text.indexOf(' '));
        }

        String path() {
            return text.split(" ", 3)[1];
        }

        boolean upgrades() {
            return header("upgrade") != null;
        }

        int contentLength() {
            if (header("transfer-encoding") != null) {
                throw new IllegalStateException("a body of unknown length is not taken: " + text);
            }
            String length = header("content-length");
            return length == null ? 0 : Integer.parseInt(length);
        }

        private @Nullable String header(String name) {
            return text.lines()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst()
                    .orElse(null);
        }
    }
}
