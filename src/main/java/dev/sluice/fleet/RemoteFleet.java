package dev.sluice.fleet;

import dev.sluice.fleet.FleetWire.Applied;
import dev.sluice.fleet.FleetWire.Call;
import dev.sluice.fleet.FleetWire.Kind;
import dev.sluice.fleet.FleetWire.Seen;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.ClusterUnavailable;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A fleet in another process. One thread sends calls in the order given, in batches, and sends a batch again until it is
 * answered; another reads observations, and tells how far it has read with the next question. Both back off while the fleet is
 * away.
 */
public final class RemoteFleet implements Cluster, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int BATCH_MAX = 1_000;
    private static final long UNKNOWN = -1;

    private final FleetLink link;
    private final CallQueue calls = new CallQueue(BATCH_MAX);
    private volatile @Nullable Consumer<Observation> observer;
    private volatile boolean closed;

    public RemoteFleet(URI url) {
        link = new FleetLink(url);
        Thread.ofPlatform().daemon().name("fleet-calls").start(this::send);
        Thread.ofPlatform().daemon().name("fleet-observations").start(this::receive);
    }

    @Override
    public void create(Workload workload, @Nullable String manifest, long fence) {
        calls.add(new Call(Kind.CREATE, workload.id().value(), fence, workload, null));
    }

    @Override
    public void release(Workload workload, Assignment assignment, Placement placement, long fence) {
        calls.add(new Call(Kind.RELEASE, workload.id().value(), fence, null, assignment));
    }

    @Override
    public void stop(WorkloadId workload, long fence) {
        calls.add(new Call(Kind.STOP, workload.value(), fence, null, null));
    }

    @Override
    public void advanceFence(WorkloadId workload, long fence) {
        calls.add(new Call(Kind.ADVANCE_FENCE, workload.value(), fence, null, null));
    }

    @Override
    public void lookAtStart(WorkloadId workload, long fence) {
        calls.add(new Call(Kind.LOOK_AT_START, workload.value(), fence, null, null));
    }

    /** Nothing happens to a job there but what it is told and its script says. */
    @Override
    public void expect(List<Expected> all) {}

    /** As they are once all calls made before have taken hold. */
    @Override
    public List<ObservedJob> jobs() {
        calls.awaitSent(PATIENCE);
        return link.ask("/jobs", FleetWire.Jobs.class, PATIENCE).jobs();
    }

    @Override
    public UsableCapacity capacity() {
        return link.ask("/capacity", FleetWire.Capacity.class, PATIENCE).capacity();
    }

    @Override
    public SortedMap<String, SortedMap<String, String>> namespaces() {
        return Collections.emptySortedMap();
    }

    @Override
    public void observe(Consumer<Observation> observer) {
        synchronized (this) {
            this.observer = observer;
            notifyAll();
        }
    }

    private void send() {
        Backoff backoff = new Backoff();
        while (!closed) {
            try {
                FleetWire.Calls batch = calls.next();
                Applied applied = link.post("/calls", batch, Applied.class);
                calls.sent(applied.last());
                backoff.reset();
            } catch (IOException away) {
                backoff.pauseUnlessInterrupted();
            } catch (InterruptedException closing) {
                return;
            }
        }
    }

    private void receive() {
        Backoff backoff = new Backoff();
        String instance = "";
        long position = UNKNOWN;
        while (!closed) {
            try {
                Consumer<Observation> receiver = awaitObserver();
                Seen seen = link.get("/observations?" + position, Seen.class);
                boolean unbroken = seen.instance().equals(instance) || instance.isEmpty();
                instance = seen.instance();
                if (unbroken && seen.complete()) {
                    seen.observations().forEach(sight -> receiver.accept(sight.observation()));
                    position = seen.first() + seen.observations().size() - 1;
                } else {
                    // The position means nothing any more: tell what is, and go on from what nobody has seen.
                    position = UNKNOWN;
                    jobs().forEach(job -> tell(job, receiver));
                    receiver.accept(new Observation.Capacity(capacity()));
                }
                backoff.reset();
            } catch (IOException | ClusterUnavailable away) {
                backoff.pauseUnlessInterrupted();
            } catch (InterruptedException closing) {
                return;
            }
        }
    }

    private synchronized Consumer<Observation> awaitObserver() throws InterruptedException {
        while (true) {
            Consumer<Observation> receiver = observer;
            if (receiver != null) {
                return receiver;
            }
            wait();
        }
    }

    private static void tell(ObservedJob job, Consumer<Observation> receiver) {
        receiver.accept(new Observation.Created(job.workload(), job.uid()));
        receiver.accept(new Observation.Reclaimable(job.workload(), job.fence(), job.reclaimable()));
        switch (job.phase()) {
            case SUSPENDED -> receiver.accept(new Observation.Gone(job.workload(), job.fence()));
            case RUNNING -> receiver.accept(new Observation.Ready(job.workload(), job.fence()));
            case SUCCEEDED -> receiver.accept(new Observation.Finished(job.workload(), job.fence(), true, ""));
            case FAILED ->
                receiver.accept(new Observation.Finished(job.workload(), job.fence(), false, "its job failed"));
            case STARTING, STOPPING -> {
                // what comes next will be observed
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        calls.close();
        link.close();
    }
}
