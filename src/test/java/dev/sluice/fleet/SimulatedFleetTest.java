package dev.sluice.fleet;

import static dev.sluice.fleet.FleetWorkloads.GPU;
import static dev.sluice.fleet.FleetWorkloads.aWorkload;
import static dev.sluice.fleet.FleetWorkloads.all;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.fleet.FleetEffect.Kind;
import dev.sluice.quota.Taint;
import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.scheduling.Cluster.Phase;
import dev.sluice.scheduling.ClusterUnavailable;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the fleet does when it is told something, hour by hour on a clock that is moved by hand. */
class SimulatedFleetTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final ManualFleetClock clock = new ManualFleetClock();
    private final List<Observation> seen = new ArrayList<>();
    private SimulatedFleet fleet = fleet(FleetSettings.unlimited());

    @Test
    void a_released_workload_is_created_ready_and_finished_in_this_order() {
        Workload train = aWorkload("train", 2, 1, HOUR);
        run(train, 1);
        clock.advance(HOUR);

        assertThat(seen)
                .containsExactly(
                        new Observation.Created(train.id(), "train-1"),
                        new Observation.Ready(train.id(), 1),
                        new Observation.Finished(train.id(), 1, true, ""));
        assertThat(phase(train)).isEqualTo(Phase.SUCCEEDED);
    }

    @Test
    void as_many_pods_run_as_were_admitted() {
        fleet = fleet(FleetSettings.of(FleetNode.parse("1xgpu nvidia.com/gpu=4")));
        Workload train = aWorkload("train", 3, 1, null);
        fleet.create(train, null, 1);
        fleet.release(train, all(aWorkload("train", 2, 1, null)), Placement.ANYWHERE, 1);
        clock.settle();
        assertThat(fleet.free(GPU)).isEqualTo(2);

        fleet.succeedPods(train.id(), "main", 2);
        clock.settle();

        assertThat(seen).last().isEqualTo(new Observation.Finished(train.id(), 1, true, ""));
    }

    @Test
    void pods_that_succeed_free_their_devices_and_the_job_ends_with_the_last() {
        fleet = fleet(FleetSettings.of(FleetNode.parse("1xgpu nvidia.com/gpu=4")));
        Workload train = aWorkload("train", 3, 1, null);
        run(train, 1);

        fleet.succeedPods(train.id(), "main", 2);
        clock.settle();

        assertThat(fleet.free(GPU)).isEqualTo(3);
        assertThat(seen).last().isEqualTo(reclaimable(train, 1, 2));
        fleet.succeedPods(train.id(), "main", 5);
        clock.settle();
        assertThat(seen).last().isEqualTo(new Observation.Finished(train.id(), 1, true, ""));
        assertThat(fleet.free(GPU)).isEqualTo(4);
    }

    @Test
    void a_job_that_restarts_runs_all_its_pods_again_and_says_so_under_every_fence() {
        fleet = fleet(FleetSettings.of(FleetNode.parse("1xgpu nvidia.com/gpu=4")));
        Workload train = aWorkload("train", 3, 1, null);
        run(train, 1);
        fleet.succeedPods(train.id(), "main", 2);
        fleet.restart(train.id());
        clock.settle();

        assertThat(fleet.free(GPU)).isEqualTo(1);
        fleet.advanceFence(train.id(), 2);
        clock.settle();
        assertThat(seen).endsWith(new Observation.Ready(train.id(), 2), reclaimable(train, 2, 0));
    }

    @Test
    void a_job_released_again_runs_only_the_pods_that_are_not_done_wherever_they_are_placed() {
        fleet = fleet(FleetSettings.of(FleetNode.parse("1xgpu nvidia.com/gpu=4")));
        Workload train = aWorkload("train", 3, 1, null);
        run(train, 1);
        fleet.succeedPods(train.id(), "main", 1);
        fleet.stop(train.id(), 2);
        clock.settle();
        assertThat(seen).endsWith(reclaimable(train, 2, 1), new Observation.Gone(train.id(), 2));
        assertThat(fleet.jobs().getFirst().reclaimable()).isEqualTo(Map.of("main", 1));

        fleet.release(train, all(train), Placement.ANYWHERE, 2);
        clock.settle();

        assertThat(fleet.free(GPU)).isEqualTo(2);
    }

    private static Observation reclaimable(Workload workload, long fence, int pods) {
        return new Observation.Reclaimable(
                workload.id(), fence, pods == 0 ? new TreeMap<>() : new TreeMap<>(Map.of("main", pods)));
    }

    @Test
    void nothing_is_observed_on_the_callers_stack() {
        run(aWorkload("train", 1, 1, Duration.ZERO), 1);
        assertThat(seen).isEmpty();
        clock.settle();
        assertThat(seen).hasSize(3);
    }

    @Test
    void without_an_expected_duration_it_runs_for_ever() {
        Workload serve = aWorkload("serve", 1, 1, null);
        run(serve, 1);
        clock.advance(Duration.ofDays(1000));
        assertThat(phase(serve)).isEqualTo(Phase.RUNNING);
    }

    @Test
    void what_does_not_say_how_long_it_takes_runs_for_the_default_if_there_is_one() {
        fleet = fleet(FleetSettings.unlimited().withRunTimeDefault(HOUR));
        Workload job = aWorkload("job", 1, 1, null);
        run(job, 1);
        clock.advance(HOUR);
        assertThat(phase(job)).isEqualTo(Phase.SUCCEEDED);
    }

    @Test
    void durations_are_divided_by_the_speed() {
        fleet = fleet(FleetSettings.unlimited().withSpeed(60).withStartDelay(Duration.ofMinutes(1)));
        Workload train = aWorkload("train", 1, 1, HOUR);
        run(train, 1);
        clock.advance(Duration.ofMillis(999));
        assertThat(phase(train)).isEqualTo(Phase.STARTING);
        clock.advance(Duration.ofMillis(1));
        assertThat(phase(train)).isEqualTo(Phase.RUNNING);
        clock.advance(Duration.ofMinutes(1));
        assertThat(phase(train)).isEqualTo(Phase.SUCCEEDED);
    }

    @Test
    void a_release_needs_the_fence_that_the_job_has() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        fleet.create(train, null, 5);
        fleet.release(train, all(train), Placement.ANYWHERE, 4);
        fleet.release(train, all(train), Placement.ANYWHERE, 6);
        assertThat(phase(train)).isEqualTo(Phase.SUSPENDED);
        fleet.release(train, all(train), Placement.ANYWHERE, 5);
        assertThat(phase(train)).isEqualTo(Phase.RUNNING);
        assertThat(kinds())
                .containsExactly(Kind.CREATED, Kind.RELEASE_IGNORED, Kind.RELEASE_IGNORED, Kind.RELEASED, Kind.READY);
    }

    @Test
    void a_second_release_of_the_same_fence_changes_nothing() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        run(train, 1);
        fleet.release(train, all(train), Placement.ANYWHERE, 1);
        clock.advance(HOUR);
        fleet.release(train, all(train), Placement.ANYWHERE, 1);
        assertThat(kinds().stream().filter(Kind.RELEASED::equals)).hasSize(1);
    }

    @Test
    void a_release_of_what_was_never_created_changes_nothing() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        fleet.release(train, all(train), Placement.ANYWHERE, 1);
        clock.settle();
        assertThat(seen).isEmpty();
        assertThat(fleet.jobs()).isEmpty();
    }

    @Test
    void a_job_that_exists_is_not_created_again() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        run(train, 1);
        fleet.create(train, null, 9);
        clock.settle();
        assertThat(fleet.jobs()).containsExactly(new ObservedJob(train.id(), "train-1", 1, Phase.RUNNING));
    }

    @Test
    void a_late_release_fails_once_the_fence_was_advanced() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        fleet.create(train, null, 1);
        fleet.advanceFence(train.id(), 2);
        fleet.release(train, all(train), Placement.ANYWHERE, 1);
        assertThat(phase(train)).isEqualTo(Phase.SUSPENDED);
        fleet.release(train, all(train), Placement.ANYWHERE, 2);
        assertThat(phase(train)).isEqualTo(Phase.RUNNING);
    }

    @Test
    void an_advance_that_comes_after_the_release_tells_the_state_again_under_the_new_fence() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        run(train, 1);
        clock.settle();
        seen.clear();
        fleet.advanceFence(train.id(), 2);
        clock.settle();
        assertThat(seen).containsExactly(new Observation.Ready(train.id(), 2));
        clock.advance(HOUR);
        assertThat(seen).last().isEqualTo(new Observation.Finished(train.id(), 2, true, ""));
        fleet.advanceFence(train.id(), 3);
        clock.settle();
        assertThat(seen).last().isEqualTo(new Observation.Finished(train.id(), 3, true, ""));
    }

    @Test
    void a_fence_is_never_lowered() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        fleet.create(train, null, 5);
        fleet.advanceFence(train.id(), 3);
        assertThat(fleet.jobs().getFirst().fence()).isEqualTo(5);
    }

    @Test
    void a_fence_that_came_before_the_job_holds_for_its_creation() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        fleet.stop(train.id(), 7);
        fleet.create(train, null, 1);
        fleet.release(train, all(train), Placement.ANYWHERE, 1);
        clock.settle();
        assertThat(seen).contains(new Observation.Gone(train.id(), 7));
        assertThat(fleet.jobs()).containsExactly(new ObservedJob(train.id(), "train-1", 7, Phase.SUSPENDED));
    }

    @Test
    void a_stopped_workload_is_gone_when_its_pods_have_ended_and_can_be_released_again() {
        fleet = fleet(FleetSettings.unlimited().withTerminationDelay(Duration.ofSeconds(30)));
        Workload train = aWorkload("train", 1, 1, HOUR);
        run(train, 1);
        fleet.stop(train.id(), 2);
        clock.advance(Duration.ofSeconds(29));
        assertThat(phase(train)).isEqualTo(Phase.STOPPING);
        assertThat(seen).doesNotContain(new Observation.Gone(train.id(), 2));
        clock.advance(Duration.ofSeconds(1));
        assertThat(seen).last().isEqualTo(new Observation.Gone(train.id(), 2));

        fleet.release(train, all(train), Placement.ANYWHERE, 2);
        clock.advance(HOUR);
        assertThat(seen).last().isEqualTo(new Observation.Finished(train.id(), 2, true, ""));
    }

    @Test
    void a_release_while_pods_still_end_changes_nothing() {
        fleet.script().workload("train", PodBehavior::gettingStuck);
        Workload train = aWorkload("train", 1, 1, HOUR);
        run(train, 1);
        fleet.stop(train.id(), 2);
        fleet.release(train, all(train), Placement.ANYWHERE, 2);
        clock.advance(HOUR);
        assertThat(phase(train)).isEqualTo(Phase.STOPPING);
    }

    @Test
    void a_stop_of_a_suspended_or_unknown_job_is_gone_at_once() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        fleet.create(train, null, 1);
        fleet.stop(train.id(), 2);
        fleet.stop(new WorkloadId("never-seen"), 3);
        clock.settle();
        assertThat(seen)
                .contains(new Observation.Gone(train.id(), 2), new Observation.Gone(new WorkloadId("never-seen"), 3));
    }

    @Test
    void a_stop_that_comes_after_the_end_tells_the_end_first() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        run(train, 1);
        clock.advance(HOUR);
        seen.clear();
        fleet.stop(train.id(), 2);
        clock.settle();
        assertThat(seen)
                .containsExactly(
                        new Observation.Finished(train.id(), 2, true, ""), new Observation.Gone(train.id(), 2));
    }

    @Test
    void a_stop_of_a_deposed_leader_does_not_touch_the_pods() {
        Workload train = aWorkload("train", 1, 1, HOUR);
        fleet.create(train, null, 1);
        fleet.advanceFence(train.id(), 5);
        fleet.release(train, all(train), Placement.ANYWHERE, 5);
        fleet.stop(train.id(), 4);
        fleet.stop(train.id(), 5);
        assertThat(phase(train))
                .as("the stop that came before this run, sent again")
                .isEqualTo(Phase.RUNNING);
        fleet.stop(train.id(), 6);
        assertThat(phase(train)).isEqualTo(Phase.SUSPENDED);
    }

    @Test
    void stuck_pods_end_only_when_they_are_let_go() {
        fleet.script().workload("train", PodBehavior::gettingStuck);
        Workload train = aWorkload("train", 1, 1, HOUR);
        run(train, 1);
        fleet.stop(train.id(), 2);
        clock.advance(Duration.ofDays(7));
        assertThat(phase(train)).isEqualTo(Phase.STOPPING);
        fleet.releaseStuck(train.id());
        clock.settle();
        assertThat(seen).last().isEqualTo(new Observation.Gone(train.id(), 2));
    }

    @Test
    void a_workload_fails_or_is_refused_as_scripted() {
        fleet.script()
                .workload("broken", broken -> broken.runningFor(HOUR).failing("out of memory"))
                .workload("odd", odd -> odd.refused("no such image"));
        Workload broken = aWorkload("broken", 1, 1, null);
        Workload odd = aWorkload("odd", 1, 1, null);
        run(broken, 1);
        run(odd, 1);
        clock.advance(HOUR);
        assertThat(seen)
                .contains(
                        new Observation.Finished(broken.id(), 1, false, "out of memory"),
                        new Observation.Refused(odd.id(), "no such image"));
        assertThat(fleet.jobs()).extracting(ObservedJob::workload).containsExactly(broken.id());
    }

    @Test
    void pods_take_the_first_node_with_room_and_wait_for_one_otherwise() {
        fleet = fleet(
                FleetSettings.of(List.of(FleetNode.of("n1", Map.of(GPU, 8L)), FleetNode.of("n2", Map.of(GPU, 8L)))));
        Workload first = aWorkload("first", 3, 4, HOUR);
        Workload second = aWorkload("second", 2, 4, HOUR);
        run(first, 1);
        run(second, 1);
        clock.settle();
        assertThat(phase(first)).isEqualTo(Phase.RUNNING);
        assertThat(phase(second)).isEqualTo(Phase.STARTING);
        assertThat(fleet.free(GPU)).isZero();
        clock.advance(HOUR);
        assertThat(phase(second)).isEqualTo(Phase.RUNNING);
        clock.advance(HOUR);
        assertThat(fleet.free(GPU)).isEqualTo(16);
    }

    @Test
    void pods_keep_off_nodes_of_another_flavor_and_of_taints_they_do_not_tolerate() {
        fleet = fleet(FleetSettings.of(List.of(
                FleetNode.of("a", Map.of(GPU, 8L)).withTaint(new Taint("broken", "", "NoSchedule")),
                FleetNode.of("b", Map.of(GPU, 8L)).withLabel(FleetNode.FLAVOR_LABEL, "a100"),
                FleetNode.of("c", Map.of(GPU, 1L)).withLabel(FleetNode.FLAVOR_LABEL, "h100"))));
        Workload train = aWorkload("train", 2, 1, HOUR);
        run(train, 1);
        clock.settle();
        assertThat(phase(train)).isEqualTo(Phase.STARTING);
        fleet.putNode(FleetNode.of("c", Map.of(GPU, 2L)));
        clock.settle();
        assertThat(phase(train)).isEqualTo(Phase.RUNNING);
    }

    @Test
    void pods_of_a_lost_node_start_anew_elsewhere_or_fail_their_job() {
        fleet = fleet(
                FleetSettings.of(List.of(FleetNode.of("n1", Map.of(GPU, 4L)), FleetNode.of("n2", Map.of(GPU, 4L)))));
        fleet.script().workload("fragile", PodBehavior::failingOnNodeLoss);
        Workload sturdy = aWorkload("sturdy", 1, 2, HOUR);
        Workload fragile = aWorkload("fragile", 1, 2, HOUR);
        run(sturdy, 1);
        run(fragile, 1);
        clock.advance(Duration.ofMinutes(30));
        fleet.loseNode("n1");
        clock.advance(Duration.ofMinutes(30));

        assertThat(seen).contains(new Observation.Finished(fragile.id(), 1, false, "node n1 was lost"));
        assertThat(seen)
                .anySatisfy(observation -> assertThat(observation)
                        .isInstanceOfSatisfying(
                                Observation.Capacity.class,
                                capacity -> assertThat(capacity.capacity().nodes())
                                        .extracting(UsableCapacity.Node::name)
                                        .containsExactly("n2")));
        assertThat(phase(sturdy)).as("its time began anew").isEqualTo(Phase.RUNNING);
        clock.advance(Duration.ofMinutes(30));
        assertThat(phase(sturdy)).isEqualTo(Phase.SUCCEEDED);
        assertThat(fleet.free(GPU)).isEqualTo(4);
    }

    @Test
    void while_it_is_away_calls_wait_and_pods_go_on() {
        Workload before = aWorkload("before", 1, 1, HOUR);
        Workload meanwhile = aWorkload("meanwhile", 1, 1, HOUR);
        run(before, 1);
        clock.settle();
        seen.clear();
        fleet.setAway(true);
        run(meanwhile, 1);
        clock.advance(HOUR);
        assertThat(seen).isEmpty();
        assertThatThrownBy(fleet::jobs).isInstanceOf(ClusterUnavailable.class);

        fleet.setAway(false);
        clock.settle();
        assertThat(seen)
                .containsExactly(
                        new Observation.Finished(before.id(), 1, true, ""),
                        new Observation.Created(meanwhile.id(), "meanwhile-2"),
                        new Observation.Ready(meanwhile.id(), 1));
    }

    @Test
    void slow_answers_keep_the_order_of_calls() {
        fleet.setAnswerDelay(Duration.ofSeconds(5));
        Workload train = aWorkload("train", 1, 1, HOUR);
        run(train, 1);
        fleet.setAnswerDelay(Duration.ZERO);
        fleet.stop(train.id(), 2);
        clock.advance(Duration.ofSeconds(4));
        assertThat(fleet.effects()).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        assertThat(kinds()).containsExactly(Kind.CREATED, Kind.RELEASED, Kind.READY, Kind.STOPPED, Kind.GONE);
    }

    @Test
    void an_ended_job_is_forgotten_after_its_retention() {
        fleet = fleet(FleetSettings.unlimited().withRetention(Duration.ofMinutes(5)));
        run(aWorkload("train", 1, 1, HOUR), 1);
        clock.advance(HOUR.plusMinutes(4));
        assertThat(fleet.jobs()).hasSize(1);
        clock.advance(Duration.ofMinutes(1));
        assertThat(fleet.jobs()).isEmpty();
    }

    @Test
    void an_unlimited_fleet_reports_no_capacity() {
        assertThat(fleet.capacity()).isEqualTo(UsableCapacity.UNLIMITED);
    }

    private SimulatedFleet fleet(FleetSettings settings) {
        SimulatedFleet made = new SimulatedFleet(settings.withAudit(), clock);
        made.observe(seen::add);
        return made;
    }

    private void run(Workload workload, long fence) {
        fleet.create(workload, null, fence);
        fleet.release(workload, all(workload), Placement.ANYWHERE, fence);
    }

    private Phase phase(Workload workload) {
        return fleet.jobs().stream()
                .filter(job -> job.workload().equals(workload.id()))
                .findFirst()
                .orElseThrow()
                .phase();
    }

    private List<Kind> kinds() {
        return fleet.effects().stream().map(FleetEffect::kind).toList();
    }
}
