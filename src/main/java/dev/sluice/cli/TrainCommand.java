package dev.sluice.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * Loads what the client commands load, by running some of them against an answer made here. The build runs it once under
 * {@code -XX:ArchiveClassesAtExit}, and every later command starts from that archive in half the time.
 */
@Command(name = "train", hidden = true, description = "Load what commands load, for the archive that the build makes.")
final class TrainCommand implements Callable<Integer> {
    private static final String ANSWER = """
            {"items": [{"id": "1", "name": "a", "namespace": "a", "state": "PENDING", "createdAt": "2026-01-01T00:00:00Z",
              "charge": {"cpu": "1"}, "quotas": [{"resource": "cpu", "nominal": "1"}],
              "status": {"usage": {"cpu": {"used": "1"}}}}], "counts": {"PENDING": 1}, "next": null}""";
    private static final List<String> COMMANDS = List.of("list", "quota", "queues", "list -o json");

    @Override
    public Integer call() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] answer = ANSWER.getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            COMMANDS.forEach(command -> run(command, url));
        } finally {
            server.stop(0);
        }
        return SluiceCommand.DONE;
    }

    private static void run(String command, String url) {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        SluiceCommand.commandLine().setOut(nowhere).setErr(nowhere).execute((command + " --server " + url).split(" "));
    }
}
