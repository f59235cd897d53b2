package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EngineProbe;
import dev.sluice.admission.FairSharing;
import dev.sluice.naive.NaiveEngine;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the benchmark of the core measures is what it says: the same decisions as the naive engine's, in a world that stays full. */
class EngineWorldTest {
    private static final int WAITING = 60;
    private static final int EVENTS = 40;

    /** A small part of the benchmark's world, since the naive engine looks at everybody at every question. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void in_the_benchs_world_the_naive_engine_ends_in_the_same_state(boolean fair) {
        AdmissionSettings settings =
                NaiveEngine.known(AdmissionSettings.defaults()).with(fair ? FairSharing.ON : FairSharing.OFF);
        EngineWorld world = new EngineWorld(3, 20, 1);
        Engine engine = new Engine(settings);
        NaiveEngine naive = new NaiveEngine(settings);
        Deque<WorkloadId> admitted = new ArrayDeque<>();
        List<EngineEvent> events = new ArrayList<>();
        events.add(new EngineEvent.ConfigurationReplaced(world.configuration()));
        Instant now = Instant.EPOCH;
        for (int number = 0; number < WAITING; number++) {
            events.add(new EngineEvent.WorkloadQueued(world.any(now), now));
        }
        List<WorkloadId> everybody = new ArrayList<>();
        int preempted = 0;
        for (int round = 0; round < EVENTS; round++) {
            for (EngineEvent event : events) {
                engine.apply(event, now);
                naive.apply(event, now);
                if (event instanceof EngineEvent.WorkloadQueued queued) {
                    everybody.add(queued.workload().id());
                }
            }
            List<Decision> decided = engine.decide(now);
            naive.decide(now);
            events.clear();
            for (Decision decision : decided) {
                if (decision instanceof Decision.Admit admit) {
                    admitted.add(admit.workload());
                } else if (decision instanceof Decision.Preempt preempt) {
                    preempt.victims().forEach(victim -> {
                        events.add(new EngineEvent.PodsGone(victim.workload()));
                        admitted.remove(victim.workload());
                    });
                    preempted += preempt.victims().size();
                }
            }
            now = now.plusSeconds(1);
            events.add(new EngineEvent.WorkloadFinished(admitted.remove(), true));
            events.add(new EngineEvent.WorkloadQueued(world.any(now), now));
        }

        assertThat(states(engine, everybody)).isEqualTo(naiveStates(naive));
        assertThat(preempted).isGreaterThan(3);
    }

    private static SortedMap<String, String> states(Engine engine, List<WorkloadId> everybody) {
        SortedMap<String, String> states = new TreeMap<>();
        for (WorkloadId id : everybody) {
            engine.status(id)
                    .ifPresent(status -> states.put(
                            id.value(),
                            status.state() + (status.assignment() == null ? "" : " " + status.assignment())));
        }
        return states;
    }

    /** As the naive engine tells it, without priority and sums. */
    private static SortedMap<String, String> naiveStates(NaiveEngine naive) {
        SortedMap<String, String> states = new TreeMap<>();
        naive.describe()
                .forEach((id, told) ->
                        states.put(id, told.replaceFirst(" priority \\d+", "").replaceFirst(" for \\{.*", "")));
        return states;
    }

    @Test
    void an_event_is_followed_until_quota_is_full_again_and_as_many_wait_as_before() {
        EngineWorld world = new EngineWorld(4, 16, 1);
        EngineRun run = new EngineRun(AdmissionSettings.defaults().with(FairSharing.ON), world.configuration());
        for (int number = 0; number < 200; number++) {
            run.queue(world.any(run.now()));
        }
        run.decide();

        for (int event = 0; event < 50; event++) {
            run.decide(new EngineEvent.WorkloadFinished(run.oldest(), true));
            run.decide(new EngineEvent.WorkloadQueued(world.any(run.now()), run.now()));
        }

        int waiting = world.queues().stream()
                .mapToInt(queue -> run.engine().pending(queue).size())
                .sum();
        assertThat(waiting + run.runningNow()).isEqualTo(200);
        assertThat(run.engine().charged()).hasSize(run.runningNow());
        assertThat(run.evictions()).isPositive();
    }

    /** Counted over events once every front has waited for long enough to keep what it needs from those behind it. */
    @Test
    void however_many_fronts_keep_their_room_an_event_costs_a_look_at_few_of_them() {
        Looked few = lookedWhereFrontsKeepTheirRoom(10);
        Looked many = lookedWhereFrontsKeepTheirRoom(200);

        assertThat(many.nominations()).as("%s, and %s", few, many).isLessThan(3 * few.nominations() + 10);
        assertThat(many.queues()).as("%s, and %s", few, many).isLessThan(40);
    }

    /** An event, in the mean. */
    private record Looked(double queues, double nominations) {}

    private static Looked lookedWhereFrontsKeepTheirRoom(int queues) {
        AdmissionSettings settings = AdmissionSettings.defaults().with(FairSharing.ON);
        EngineWorld world = new EngineWorld(queues, 100, 1);
        EngineRun run = new EngineRun(settings, world.configuration());
        for (int number = 0; number < 20 * queues; number++) {
            run.queue(world.any(run.now()));
        }
        run.decide();
        run.pass(settings.orderKeeping().guardAfter());
        EngineProbe probe = new EngineProbe(run.engine());
        int events = 4 * queues;
        EngineProbe.Cost before = probe.cost();
        for (int event = 0; event < 2 * events; event++) {
            if (event == events) {
                before = probe.cost();
            }
            run.decide(new EngineEvent.WorkloadFinished(run.oldest(), true));
            run.decide(new EngineEvent.WorkloadQueued(world.any(run.now()), run.now()));
        }
        EngineProbe.Cost after = probe.cost();
        return new Looked(
                (after.queues() - before.queues()) / (2.0 * events),
                (after.nominations() - before.nominations()) / (2.0 * events));
    }

    @Test
    void a_large_preemption_takes_all_its_victims_in_one_decision() {
        assertThat(new EngineVictims(true).rows(System.out))
                .extracting(Row::name)
                .containsExactly(
                        "decision to preempt 1,000, without fair sharing, median",
                        "decision to preempt 1,000, with fair sharing, median");
    }
}
