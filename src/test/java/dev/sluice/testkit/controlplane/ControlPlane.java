package dev.sluice.testkit.controlplane;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A Kubernetes control plane of its own: fresh data, free ports on loopback, up in a few seconds. Closing it ends its processes and
 * removes its files; they also end with the JVM.
 *
 * <p>It may be asked as {@value #TESTER}, as whom tests act, and as {@value #SLUICE}, as whom the product acts, so that the audit
 * log tells their requests apart; both may do everything. {@value #SERVICE_ACCOUNT} is whom the product's manifests give rights to.
 */
public final class ControlPlane implements AutoCloseable {
    public static final String TESTER = "tester";
    public static final String SLUICE = "sluice";
    public static final String SERVICE_ACCOUNT = "system:serviceaccount:sluice:sluice";

    private static final Duration START_PATIENCE = Duration.ofSeconds(60);

    private final Programs programs;
    private final ControlPlaneOptions options;
    private final Path folder;
    private final int etcdPort = freePort();
    private final int peerPort = freePort();
    private final int serverPort = freePort();
    private final Map<Component, ComponentProcess> running = new EnumMap<>(Component.class);
    private final KubernetesClient client;

    private ControlPlane(Programs programs, ControlPlaneOptions options, Path folder) {
        this.programs = programs;
        this.options = options;
        this.folder = folder;
        writeFiles();
        start(Component.ETCD);
        start(Component.API_SERVER);
        client = clientOf(TESTER);
        awaitReady();
        start(Component.CONTROLLER_MANAGER);
        start(Component.SCHEDULER);
        await(
                "the default service account's namespace",
                () -> client.namespaces().withName("default").get() != null);
    }

    public static ControlPlane start() {
        return start(ControlPlaneOptions.DEFAULT);
    }

    public static ControlPlane start(ControlPlaneOptions options) {
        try {
            return new ControlPlane(Programs.find(), options, Files.createTempDirectory("sluice-control-plane"));
        } catch (IOException failed) {
            throw new UncheckedIOException("no folder for a control plane", failed);
        }
    }

    /** Asks as {@value #TESTER}. Ends with the control plane. */
    public KubernetesClient client() {
        return client;
    }

    /** A client of its own for one of the two users; whoever asks for it closes it. */
    public KubernetesClient clientOf(String user) {
        return new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig(user).toFile()))
                .build();
    }

    public Path kubeconfig(String user) {
        return folder.resolve(user.replace(':', '-') + ".kubeconfig");
    }

    /** Whoever asks for it closes it. */
    public ApiServerProxy proxy() {
        return new ApiServerProxy(serverPort);
    }

    /** Leads a user through the proxy. */
    public Path kubeconfig(String user, ApiServerProxy proxy) {
        Path file = folder.resolve(user + "-through-" + proxy.port() + ".kubeconfig");
        try {
            return Files.writeString(file, kubeconfigText(user, proxy.port()));
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot write " + file, failed);
        }
    }

    /** Whoever asks for it closes it. */
    public FaultyApiServer faulty() {
        return new FaultyApiServer(serverPort, Loopback.trusting());
    }

    /** Leads a user to the faulty API server. */
    public Path kubeconfig(String user, FaultyApiServer faulty) {
        Path file = folder.resolve(user + "-to-" + faulty.port() + ".kubeconfig");
        try {
            return Files.writeString(file, kubeconfigText(user, faulty.port()).replace("https://", "http://"));
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot write " + file, failed);
        }
    }

    public AuditLog audit() {
        return new AuditLog(folder.resolve("audit.log"));
    }

    public void createNamespace(String name) {
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
    }

    public void pause(Component component) {
        process(component).pause();
    }

    public void resume(Component component) {
        process(component).resume();
    }

    public void stop(Component component) {
        process(component).stop();
        running.remove(component);
    }

    public void kill(Component component) {
        process(component).kill();
        running.remove(component);
    }

    /** Starts what was stopped, on the same ports and data; returns once the API server answers. */
    public void restart(Component component) {
        if (running.containsKey(component)) {
            throw new IllegalStateException(component + " runs");
        }
        start(component);
        if (component == Component.ETCD || component == Component.API_SERVER) {
            awaitReady();
        }
    }

    /** In reverse order, since an API server that is asked to stop while its store goes away hangs. */
    @Override
    public void close() {
        client.close();
        for (Component component :
                List.of(Component.SCHEDULER, Component.CONTROLLER_MANAGER, Component.API_SERVER, Component.ETCD)) {
            ComponentProcess process = running.remove(component);
            if (process != null) {
                // Nothing of it is wanted any more; asking politely would take seconds.
                process.kill();
            }
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted((left, right) -> right.compareTo(left)).forEach(ControlPlane::delete);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot clear " + folder, failed);
        }
    }

    private ComponentProcess process(Component component) {
        return Objects.requireNonNull(running.get(component), component + " does not run");
    }

    private void start(Component component) {
        List<String> command = new ArrayList<>(programs.command(component));
        command.addAll(arguments(component));
        running.put(
                component, ComponentProcess.start(component, command, folder.resolve(component.program() + ".log")));
    }

    private List<String> arguments(Component component) {
        return switch (component) {
            case ETCD ->
                List.of(
                        "--data-dir=" + folder.resolve("etcd"),
                        "--listen-client-urls=http://127.0.0.1:" + etcdPort,
                        "--advertise-client-urls=http://127.0.0.1:" + etcdPort,
                        "--listen-peer-urls=http://127.0.0.1:" + peerPort,
                        "--unsafe-no-fsync",
                        "--log-level=error");
            case API_SERVER -> withGates(apiServerArguments());
            case CONTROLLER_MANAGER ->
                withGates(List.of(
                        "--kubeconfig=" + kubeconfig(Component.CONTROLLER_MANAGER.program()),
                        "--leader-elect=false",
                        "--service-account-private-key-file=" + folder.resolve("service-accounts.key"),
                        // Nobody renews leases here unless a test wants it.
                        "--node-monitor-grace-period=24h",
                        "--kube-api-qps=1000",
                        "--kube-api-burst=2000",
                        "--concurrent-job-syncs=20",
                        "--secure-port=0"));
            case SCHEDULER ->
                withGates(List.of(
                        "--kubeconfig=" + kubeconfig(Component.SCHEDULER.program()),
                        "--leader-elect=false",
                        "--kube-api-qps=1000",
                        "--kube-api-burst=2000",
                        "--secure-port=0"));
        };
    }

    private List<String> apiServerArguments() {
        return List.of(
                "--etcd-servers=http://127.0.0.1:" + etcdPort,
                "--secure-port=" + serverPort,
                "--bind-address=127.0.0.1",
                "--cert-dir=" + folder.resolve("certificates"),
                "--service-account-issuer=https://sluice.test",
                "--service-account-signing-key-file=" + folder.resolve("service-accounts.key"),
                "--service-account-key-file=" + folder.resolve("service-accounts.key"),
                "--token-auth-file=" + folder.resolve("tokens.csv"),
                "--authorization-mode=RBAC",
                "--service-cluster-ip-range=10.0.0.0/24",
                "--disable-admission-plugins=ServiceAccount",
                "--max-requests-inflight=5000",
                "--max-mutating-requests-inflight=2500",
                "--audit-policy-file=" + folder.resolve("audit-policy.yaml"),
                "--audit-log-path=" + folder.resolve("audit.log"),
                "--audit-log-mode=blocking");
    }

    private List<String> withGates(List<String> arguments) {
        if (options.featureGates().isEmpty()) {
            return arguments;
        }
        List<String> all = new ArrayList<>(arguments);
        all.add(options.gatesFlag());
        return all;
    }

    private void writeFiles() {
        List<String> users = List.of(
                TESTER, SLUICE, SERVICE_ACCOUNT, Component.CONTROLLER_MANAGER.program(), Component.SCHEDULER.program());
        StringBuilder tokens = new StringBuilder();
        try {
            for (String user : users) {
                String group = user.equals(SERVICE_ACCOUNT) ? "system:serviceaccounts" : "system:masters";
                tokens.append("%s-token,%s,%s,\"%s\"\n".formatted(user, user, user, group));
                Files.writeString(kubeconfig(user), kubeconfigText(user, serverPort));
            }
            Files.writeString(folder.resolve("tokens.csv"), tokens);
            Files.writeString(folder.resolve("service-accounts.key"), privateKey());
            Files.writeString(folder.resolve("audit-policy.yaml"), AuditLog.policy(options.bodiesAudited()));
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot write the files of the control plane", failed);
        }
    }

    /** The server makes its certificate itself, when it starts; loopback to one's own child needs no proof. */
    private static String kubeconfigText(String user, int port) {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                - name: test
                  cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}
                users:
                - name: "%s"
                  user: {token: "%s-token"}
                contexts:
                - name: test
                  context: {cluster: test, user: "%s"}
                current-context: test
                """.formatted(port, user, user, user);
    }

    private static String privateKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return "-----BEGIN PRIVATE KEY-----\n"
                    + Base64.getMimeEncoder(64, new byte[] {'\n'})
                            .encodeToString(
                                    generator.generateKeyPair().getPrivate().getEncoded())
                    + "\n-----END PRIVATE KEY-----\n";
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every JDK has RSA", impossible);
        }
    }

    private void awaitReady() {
        await("the API server", () -> client.raw("/readyz").equals("ok"));
    }

    private void await(String what, BooleanSupplier here) {
        long deadline = System.nanoTime() + START_PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            running.values().stream()
                    .filter(process -> !process.isAlive())
                    .findFirst()
                    .ifPresent(ended -> {
                        throw new IllegalStateException("ended while the control plane started, " + ended.lastWords());
                    });
            try {
                if (here.getAsBoolean()) {
                    return;
                }
            } catch (KubernetesClientException notYet) {
                // it comes up
            }
            pause();
        }
        throw new IllegalStateException(what + " did not come up:\n"
                + String.join(
                        "\n",
                        running.values().stream()
                                .map(ComponentProcess::lastWords)
                                .toList()));
    }

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the control plane started", stopping);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException("no free port on loopback", failed);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot remove " + file, failed);
        }
    }
}
