package dev.sluice.bench;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** One kept connection with at most one request under way, and as much of HTTP/1.1 as its answers need. */
final class LoadConnection {
    private static final int UNKNOWN = -1;

    private final SocketChannel channel;
    private byte[] request = {};
    private ByteBuffer outgoing = ByteBuffer.allocate(0);
    private long sentAtNanos;
    private ByteBuffer incoming = ByteBuffer.allocate(8 * 1024);
    private int bodyStart = UNKNOWN;
    private int bodyLength = UNKNOWN;
    private int status;

    LoadConnection(SocketChannel channel) {
        this.channel = channel;
    }

    SocketChannel channel() {
        return channel;
    }

    void send(byte[] request, long nowNanos) throws IOException {
        this.request = request;
        sentAtNanos = nowNanos;
        outgoing = ByteBuffer.wrap(request);
        flush();
    }

    void flush() throws IOException {
        if (outgoing.hasRemaining()) {
            channel.write(outgoing);
        }
    }

    boolean isFlushed() {
        return !outgoing.hasRemaining();
    }

    /** Reads what is there; true once the answer is whole. */
    boolean receive() throws IOException {
        while (true) {
            if (!incoming.hasRemaining()) {
                incoming = ByteBuffer.allocate(incoming.capacity() * 2).put(incoming.flip());
            }
            int count = channel.read(incoming);
            if (count < 0) {
                throw new EOFException("the service closed a connection");
            }
            if (count == 0) {
                return isWhole();
            }
            if (isWhole()) {
                return true;
            }
        }
    }

    private boolean isWhole() throws IOException {
        if (bodyStart == UNKNOWN && !readHead()) {
            return false;
        }
        int end = incoming.position();
        if (bodyLength != UNKNOWN) {
            return end >= bodyStart + bodyLength;
        }
        // Chunked: one answer at a time is under way, so the last chunk ends the buffer.
        return end >= bodyStart + 5
                && new String(incoming.array(), end - 5, 5, StandardCharsets.US_ASCII).equals("0\r\n\r\n");
    }

    private boolean readHead() throws IOException {
        byte[] bytes = incoming.array();
        for (int index = 3; index < incoming.position(); index++) {
            if (bytes[index] == '\n'
                    && bytes[index - 1] == '\r'
                    && bytes[index - 2] == '\n'
                    && bytes[index - 3] == '\r') {
                bodyStart = index + 1;
                parseHead(new String(bytes, 0, index + 1, StandardCharsets.US_ASCII));
                return true;
            }
        }
        return false;
    }

    private void parseHead(String head) throws IOException {
        status = Integer.parseInt(head.substring(9, 12));
        String lower = head.toLowerCase(Locale.ROOT);
        int at = lower.indexOf("\r\ncontent-length:");
        if (at >= 0) {
            int from = at + "\r\ncontent-length:".length();
            bodyLength = Integer.parseInt(
                    lower.substring(from, lower.indexOf('\r', from)).strip());
        } else if (lower.contains("transfer-encoding: chunked")) {
            bodyLength = UNKNOWN;
        } else if (status == 204) {
            bodyLength = 0;
        } else {
            throw new IOException("an answer without a length: " + head);
        }
    }

    byte[] request() {
        return request;
    }

    int status() {
        return status;
    }

    /** As sent, chunk lines included if it came in chunks. */
    byte[] body() {
        return Arrays.copyOfRange(incoming.array(), bodyStart, incoming.position());
    }

    long sentAtNanos() {
        return sentAtNanos;
    }

    void reset() {
        incoming.clear();
        bodyStart = UNKNOWN;
        bodyLength = UNKNOWN;
    }
}
