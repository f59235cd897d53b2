package dev.sluice.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Sends requests at their times over a fixed number of kept connections, on one thread, with as little processor time as can be:
 * it shares the machine with what it measures. When all connections are busy, what is due waits.
 */
final class LoadClient implements AutoCloseable {
    private final Selector selector;
    private final List<LoadConnection> connections = new ArrayList<>();
    private final Deque<LoadConnection> idle = new ArrayDeque<>();

    LoadClient(URI url, int connectionCount) throws IOException {
        selector = Selector.open();
        for (int index = 0; index < connectionCount; index++) {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(url.getHost(), url.getPort()));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            LoadConnection connection = new LoadConnection(channel);
            channel.register(selector, SelectionKey.OP_READ, connection);
            connections.add(connection);
            idle.add(connection);
        }
    }

    /** Where requests come from and answers go to; called on the client's thread. */
    interface Source {
        /** When the next request may be sent, in nanoseconds from the start; {@link Long#MAX_VALUE} = there is none left. */
        long nextNanos();

        /** Called only when the next is due. */
        byte[] next();

        /** @param latencyNanos from the first byte out to the last byte in */
        void answered(byte[] request, int status, byte[] body, long latencyNanos);
    }

    /**
     * @throws IOException if a connection fails or the answer cannot be read: the run is void
     */
    void run(Source source) throws IOException {
        long start = System.nanoTime();
        int busy = 0;
        while (busy > 0 || source.nextNanos() != Long.MAX_VALUE) {
            long now = System.nanoTime();
            while (!idle.isEmpty() && source.nextNanos() <= now - start) {
                LoadConnection connection = idle.poll();
                connection.send(source.next(), now);
                interest(connection);
                busy++;
                now = System.nanoTime();
            }
            long waitNanos = idle.isEmpty() || source.nextNanos() == Long.MAX_VALUE
                    ? Long.MAX_VALUE
                    : source.nextNanos() - (now - start);
            selectFor(waitNanos);
            for (SelectionKey key : selector.selectedKeys()) {
                if (advance((LoadConnection) key.attachment(), source)) {
                    busy--;
                }
            }
            selector.selectedKeys().clear();
        }
    }

    private void selectFor(long nanos) throws IOException {
        if (nanos == Long.MAX_VALUE) {
            selector.select(1_000);
        } else if (nanos < 500_000) {
            selector.selectNow();
        } else {
            selector.select(Math.min(1_000, Math.max(1, nanos / 1_000_000)));
        }
    }

    /** Whether the connection got its whole answer. */
    private boolean advance(LoadConnection connection, Source source) throws IOException {
        connection.flush();
        interest(connection);
        if (!connection.receive()) {
            return false;
        }
        source.answered(
                connection.request(),
                connection.status(),
                connection.body(),
                System.nanoTime() - connection.sentAtNanos());
        connection.reset();
        idle.add(connection);
        return true;
    }

    private void interest(LoadConnection connection) {
        SelectionKey key = connection.channel().keyFor(selector);
        if (key != null) {
            int wanted = connection.isFlushed() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
            if (key.interestOps() != wanted) {
                key.interestOps(wanted);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (LoadConnection connection : connections) {
            connection.channel().close();
        }
        selector.close();
    }
}
