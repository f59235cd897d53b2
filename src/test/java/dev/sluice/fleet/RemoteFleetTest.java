package dev.sluice.fleet;

import static dev.sluice.fleet.FleetWorkloads.GPU;
import static dev.sluice.fleet.FleetWorkloads.aWorkload;
import static dev.sluice.fleet.FleetWorkloads.all;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.fleet.FleetEffect.Kind;
import dev.sluice.fleet.FleetWire.Applied;
import dev.sluice.fleet.FleetWire.Call;
import dev.sluice.fleet.FleetWire.Calls;
import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.scheduling.Cluster.Phase;
import dev.sluice.scheduling.ClusterUnavailable;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The fleet behind HTTP does what the fleet does, also when either side was away. */
class RemoteFleetTest {
    private final FleetServer server = FleetServer.start(
            0, FleetSettings.of(List.of(FleetNode.of("n1", Map.of(GPU, 8L)))).withAudit());
    private final List<Observation> seen = new CopyOnWriteArrayList<>();
    private RemoteFleet client = connected();

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @Test
    void a_workload_runs_to_its_end_and_every_step_is_observed_in_order() {
        Workload train = aWorkload("train", 2, 1, Duration.ofMillis(1));
        client.create(train, null, 1);
        client.release(train, all(train), Placement.ANYWHERE, 1);
        await().until(() -> seen.size() == 3);
        assertThat(seen)
                .containsExactly(
                        new Observation.Created(train.id(), "train-1"),
                        new Observation.Ready(train.id(), 1),
                        new Observation.Finished(train.id(), 1, true, ""));
    }

    @Test
    void jobs_and_capacity_are_told_as_they_are_after_the_calls_made_before() {
        Workload train = aWorkload("train", 2, 1, null);
        client.create(train, null, 1);
        client.advanceFence(train.id(), 2);
        client.release(train, all(train), Placement.ANYWHERE, 2);
        client.stop(train.id(), 3);
        assertThat(client.jobs()).containsExactly(new ObservedJob(train.id(), "train-1", 3, Phase.SUSPENDED));
        assertThat(client.capacity()).isEqualTo(server.fleet().capacity());
    }

    @Test
    void a_client_that_comes_anew_goes_on_at_what_nobody_acknowledged() {
        Workload before = aWorkload("before", 1, 1, null);
        client.create(before, null, 1);
        client.release(before, all(before), Placement.ANYWHERE, 1);
        await().until(() -> seen.size() == 2);
        client.jobs();
        client.close();
        seen.clear();

        server.fleet().finish(before.id(), false, "out of memory");
        client = connected();
        await().until(() -> seen.contains(new Observation.Finished(before.id(), 1, false, "out of memory")));
    }

    @Test
    void while_the_fleet_is_away_calls_wait_and_take_hold_once_in_order() {
        Workload running = aWorkload("running", 1, 1, null);
        client.create(running, null, 1);
        client.release(running, all(running), Placement.ANYWHERE, 1);
        await().until(() -> seen.size() == 2);

        server.setAway(true);
        List<Workload> meanwhile = IntStream.range(0, 2_500)
                .mapToObj(number -> aWorkload("w" + number, 0, 1, Duration.ZERO))
                .toList();
        meanwhile.forEach(workload -> {
            client.create(workload, null, 1);
            client.release(workload, all(workload), Placement.ANYWHERE, 1);
        });
        client.stop(running.id(), 2);
        server.fleet().finish(running.id(), true, "");
        assertThat(server.fleet().effects())
                .noneMatch(effect -> effect.workload().equals(new WorkloadId("w1")));
        server.setAway(false);

        await().until(() -> seen.contains(new Observation.Gone(running.id(), 2)));
        assertThat(seen.indexOf(new Observation.Finished(running.id(), 1, true, "")))
                .isPositive()
                .isLessThan(seen.indexOf(new Observation.Finished(running.id(), 2, true, "")));
        assertThat(server.fleet().effects().stream()
                        .filter(effect -> effect.kind() == Kind.RELEASED)
                        .map(FleetEffect::workload))
                .containsExactlyElementsOf(
                        java.util.stream.Stream.concat(java.util.stream.Stream.of(running), meanwhile.stream())
                                .map(Workload::id)
                                .toList());
    }

    @Test
    void a_batch_that_is_sent_again_does_not_take_hold_again() throws Exception {
        Workload train = aWorkload("train", 1, 1, null);
        Calls batch = new Calls(
                "a-client",
                1,
                List.of(
                        new Call(FleetWire.Kind.CREATE, "train", 1, train, null),
                        new Call(FleetWire.Kind.RELEASE, "train", 1, null, all(train)),
                        new Call(FleetWire.Kind.STOP, "train", 2, null, null),
                        new Call(FleetWire.Kind.RELEASE, "train", 2, null, all(train))));
        try (FleetLink link = new FleetLink(server.url())) {
            assertThat(link.post("/calls", batch, Applied.class)).isEqualTo(new Applied(4));
            int effects = server.fleet().effects().size();
            assertThat(link.post("/calls", batch, Applied.class)).isEqualTo(new Applied(4));
            assertThat(server.fleet().effects()).hasSize(effects);
        }
    }

    @Test
    void who_asks_for_jobs_of_a_fleet_that_stays_away_is_told_so() {
        try (FleetLink link = new FleetLink(server.url())) {
            server.setAway(true);
            assertThatThrownBy(() -> link.ask("/jobs", FleetWire.Jobs.class, Duration.ofMillis(50)))
                    .isInstanceOf(ClusterUnavailable.class)
                    .hasMessageContaining(server.url().toString());
        }
    }

    @Test
    void a_reader_whose_observations_were_given_to_another_learns_the_state_instead() {
        Workload train = aWorkload("train", 1, 1, null);
        client.create(train, null, 1);
        client.release(train, all(train), Placement.ANYWHERE, 1);
        await().until(() -> seen.size() == 2);
        List<Observation> seenByOther = new CopyOnWriteArrayList<>();
        try (RemoteFleet other = new RemoteFleet(server.url())) {
            other.observe(seenByOther::add);
            server.fleet().finish(train.id(), true, "");
            await().until(() -> seen.contains(new Observation.Finished(train.id(), 1, true, ""))
                    || seenByOther.contains(new Observation.Finished(train.id(), 1, true, "")));
        }
        await().until(() -> seen.contains(new Observation.Finished(train.id(), 1, true, "")));
    }

    private RemoteFleet connected() {
        RemoteFleet connected = new RemoteFleet(server.url());
        connected.observe(seen::add);
        return connected;
    }
}
