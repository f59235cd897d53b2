package dev.sluice.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the service against a PostgreSQL that is there already. */
@Command(
        name = "serve",
        description = "Run the service against a PostgreSQL database.",
        footer = {
            "",
            "Example:",
            "  ./sluice serve --jdbc-url jdbc:postgresql://localhost:5432/sluice \\",
            "                 --jdbc-user sluice --jdbc-password secret",
            "Every option may be given as the environment variable that its text names. Without a fleet URL the",
            "service runs the simulated fleet in its own process."
        })
final class ServeCommand implements Callable<Integer> {
    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "${env:SLUICE_HOST:-127.0.0.1}",
            description = "Address to listen on; other than loopback needs a token. SLUICE_HOST, default 127.0.0.1.")
    String host = "127.0.0.1";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "${env:SLUICE_PORT:-8080}",
            description = "Port to listen on. SLUICE_PORT, default 8080.")
    int port;

    @Option(
            names = "--jdbc-url",
            paramLabel = "URL",
            defaultValue = "${env:SLUICE_JDBC_URL}",
            description = "The database, jdbc:postgresql://HOST[:PORT]/NAME. SLUICE_JDBC_URL.")
    @Nullable String jdbcUrl;

    @Option(
            names = "--jdbc-user",
            paramLabel = "USER",
            defaultValue = "${env:SLUICE_JDBC_USER}",
            description = "User of the database. SLUICE_JDBC_USER.")
    @Nullable String jdbcUser;

    @Option(
            names = "--jdbc-password",
            paramLabel = "PASSWORD",
            defaultValue = "${env:SLUICE_JDBC_PASSWORD}",
            description = "Password of that user; better by SLUICE_JDBC_PASSWORD, since arguments can be seen.")
    @Nullable String jdbcPassword;

    @Option(
            names = "--fleet-url",
            paramLabel = "URL",
            defaultValue = "${env:SLUICE_FLEET_URL}",
            description = "A simulated fleet that runs as a process of its own. SLUICE_FLEET_URL.")
    @Nullable String fleetUrl;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            defaultValue = "${env:SLUICE_KUBECONFIG}",
            description = "Run Jobs on the cluster that this file leads to. SLUICE_KUBECONFIG. In a pod of the cluster:"
                    + " SLUICE_CLUSTER=kubernetes, and no file.")
    @Nullable String kubeconfig;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            defaultValue = "${env:SLUICE_TOKEN}",
            description = "Token that every caller must show; better by SLUICE_TOKEN.")
    @Nullable String token;

    @Override
    public Integer call() {
        Map<String, String> configuration = configuration();
        ServiceRun.requireFreePort(host, port);
        return ServiceRun.untilStopped(
                configuration, () -> System.out.println("Sluice is ready on http://" + host + ":" + port + "/"));
    }

    /** The configuration properties that stand for these options. */
    Map<String, String> configuration() {
        if (isBlank(jdbcUrl)) {
            throw CommandFailed.wrongUse("serve needs a database: --jdbc-url jdbc:postgresql://HOST:PORT/NAME, or"
                    + " SLUICE_JDBC_URL.\n  To look around without one: ./sluice dev");
        }
        if (isBlank(token) && !isLoopback(host)) {
            throw CommandFailed.wrongUse("on " + host + " everyone on the network could submit and change quotas, so a"
                    + " token is required: --token, or SLUICE_TOKEN.\n  Without one, listen on 127.0.0.1.");
        }
        Map<String, String> configuration = new LinkedHashMap<>();
        configuration.put("quarkus.http.host", host);
        configuration.put("quarkus.http.port", Integer.toString(port));
        put(configuration, "quarkus.datasource.jdbc.url", jdbcUrl);
        put(configuration, "quarkus.datasource.username", jdbcUser);
        put(configuration, "quarkus.datasource.password", jdbcPassword);
        put(configuration, "sluice.fleet.url", fleetUrl);
        if (!isBlank(kubeconfig)) {
            configuration.put("sluice.cluster", "kubernetes");
            put(configuration, "sluice.kubernetes.kubeconfig", kubeconfig);
        }
        put(configuration, "sluice.security.token", token);
        return configuration;
    }

    private static void put(Map<String, String> configuration, String property, @Nullable String value) {
        if (value != null && !value.isBlank()) {
            configuration.put(property, value);
        }
    }

    private static boolean isBlank(@Nullable String value) {
        return value == null || value.isBlank();
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw CommandFailed.wrongUse("the host " + host + " is not known here.");
        }
    }
}
