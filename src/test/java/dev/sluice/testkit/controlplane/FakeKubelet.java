package dev.sluice.testkit.controlplane;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Does for the pods of every node what their kubelets would do: makes a bound pod run and be ready, ends it when its declared time
 * is over, and confirms its deletion. A pod declares by annotations, which its Job's template carries: {@value #RUN_FOR} how long
 * it runs (ISO 8601; without it, until it is stopped), {@value #EXIT} how it ends ({@code 0} without it, anything else fails it).
 */
public final class FakeKubelet implements AutoCloseable {
    public static final String RUN_FOR = "kubelet.test/run-for";
    public static final String EXIT = "kubelet.test/exit";

    private static final Logger LOG = Logger.getLogger(FakeKubelet.class.getName());
    private static final long RETRY_MILLIS = 200;

    private final KubernetesClient client;
    private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(
            4, Thread.ofPlatform().daemon().name("kubelet-", 0).factory());
    private final Set<String> started = ConcurrentHashMap.newKeySet();
    private final Set<String> ending = ConcurrentHashMap.newKeySet();
    /** Bound pods and pods in termination that are held, by uid. */
    private final Map<String, Pod> held = new LinkedHashMap<>();

    private final SharedIndexInformer<Pod> pods;
    private boolean startsHeld;
    private boolean endsHeld;
    private volatile boolean closed;

    /** @param client its own to use; closed by whoever made it */
    public FakeKubelet(KubernetesClient client) {
        this.client = client;
        this.pods = client.pods().inAnyNamespace().inform(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Pod pod) {
                look(pod);
            }

            @Override
            public void onUpdate(Pod before, Pod pod) {
                look(pod);
            }

            @Override
            public void onDelete(Pod pod, boolean unknown) {
                forget(uid(pod));
            }
        });
    }

    /** From now on pods that are bound stay pending. */
    public synchronized void holdStarts() {
        startsHeld = true;
    }

    /** From now on pods that are deleted stay in termination, holding what they hold. */
    public synchronized void holdTerminations() {
        endsHeld = true;
    }

    /** Whatever is held goes on, and nothing is held from now on. */
    public void letGo() {
        List<Pod> waiting;
        synchronized (this) {
            startsHeld = false;
            endsHeld = false;
            waiting = List.copyOf(held.values());
            held.clear();
        }
        waiting.forEach(this::look);
    }

    private void look(Pod pod) {
        boolean bound = pod.getSpec().getNodeName() != null;
        boolean deleted = pod.getMetadata().getDeletionTimestamp() != null;
        if (!bound || closed || hold(pod, deleted)) {
            return;
        }
        if (deleted) {
            if (ending.add(uid(pod))) {
                soon(() -> terminate(pod));
            }
        } else if ("Pending".equals(pod.getStatus().getPhase()) && started.add(uid(pod))) {
            soon(() -> run(pod));
        }
    }

    private synchronized boolean hold(Pod pod, boolean deleted) {
        boolean holds = deleted ? endsHeld : startsHeld;
        if (holds) {
            held.put(uid(pod), pod);
        }
        return holds;
    }

    private void run(Pod pod) {
        setStatus(pod, "Running", true);
        String runFor = annotation(pod, RUN_FOR);
        if (runFor != null) {
            after(Duration.parse(runFor), () -> end(pod));
        }
    }

    private void end(Pod pod) {
        String exit = annotation(pod, EXIT);
        boolean succeeds = exit == null || exit.equals("0");
        setStatus(pod, succeeds ? "Succeeded" : "Failed", false, exited(pod, exit == null ? "0" : exit));
    }

    /** Of each of its containers, which all end the same way. */
    private static String exited(Pod pod, String code) {
        return pod.getSpec().getContainers().stream()
                .map(container -> """
                        {"name": "%s", "image": "%s", "imageID": "", "ready": false, "restartCount": 0,
                         "state": {"terminated": {"exitCode": %s}}}""".formatted(container.getName(), container.getImage(), code))
                .collect(Collectors.joining(", ", ", \"containerStatuses\": [", "]"));
    }

    private void terminate(Pod pod) {
        setStatus(pod, "Failed", false);
        client.resource(pod).withGracePeriod(0).delete();
    }

    private void setStatus(Pod pod, String phase, boolean ready) {
        setStatus(pod, phase, ready, "");
    }

    /** @param more further fields of the status, each after a comma */
    private void setStatus(Pod pod, String phase, boolean ready, String more) {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        client.pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .subresource("status")
                .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), """
                        {"metadata": {"uid": "%s"},
                         "status": {"phase": "%s", "startTime": "%s",
                                    "conditions": [{"type": "Ready", "status": "%s", "lastTransitionTime": "%s"}]%s}}""".formatted(
                                uid(pod), phase, now, ready ? "True" : "False", now, more));
    }

    private void soon(Runnable step) {
        after(Duration.ZERO, step);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // attempt() lets nothing escape that a test could wait for
    private void after(Duration delay, Runnable step) {
        if (!closed) {
            timers.schedule(() -> attempt(step), delay.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** A pod that is gone needs nothing more; an API server that is away comes back. */
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (KubernetesClientException failed) {
            if (failed.getCode() != 404 && failed.getCode() != 409 && failed.getCode() != 422) {
                after(Duration.ofMillis(RETRY_MILLIS), step);
            }
        } catch (RuntimeException broken) {
            LOG.log(Level.SEVERE, "the fake kubelet is broken", broken);
        }
    }

    private synchronized void forget(String uid) {
        started.remove(uid);
        ending.remove(uid);
        held.remove(uid);
    }

    private static String uid(Pod pod) {
        return pod.getMetadata().getUid();
    }

    private static @Nullable String annotation(Pod pod, String key) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        return annotations == null ? null : annotations.get(key);
    }

    @Override
    public void close() {
        closed = true;
        pods.close();
        timers.shutdownNow();
    }
}
