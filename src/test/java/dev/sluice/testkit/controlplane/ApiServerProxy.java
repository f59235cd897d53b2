package dev.sluice.testkit.controlplane;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands between one client and the API server. Held, it keeps what the client sends and delivers it when it is let go, however late,
 * and whether or not the client is still there: what a request of a process that was stopped in the middle looks like to the server.
 */
public final class ApiServerProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private boolean held;
    private int waiting;
    private boolean closed;

    ApiServerProxy(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException("no port for a proxy", failed);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    public synchronized void hold() {
        held = true;
    }

    /** Whether something that was sent since then is kept. */
    public synchronized boolean keepsSomething() {
        return waiting > 0;
    }

    public synchronized void letGo() {
        held = false;
        notifyAll();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.addAll(List.of(client, server));
                Thread.ofVirtual().start(() -> forward(client, server, true));
                Thread.ofVirtual().start(() -> forward(server, client, false));
            }
        } catch (IOException over) {
            close();
        }
    }

    private void forward(Socket from, Socket to, boolean holds) {
        byte[] buffer = new byte[65_536];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                if (holds) {
                    awaitLetGo();
                }
                out.write(buffer, 0, length);
                out.flush();
            }
            to.shutdownOutput();
        } catch (IOException over) {
            // One side is gone, which is for the other to notice.
        }
    }

    private synchronized void awaitLetGo() throws IOException {
        waiting++;
        try {
            while (held && !closed) {
                wait();
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while held", stopping);
        } finally {
            waiting--;
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot close the proxy", failed);
        }
    }
}
