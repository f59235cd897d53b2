package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.QuotaLine;
import dev.sluice.simulation.PlainTree;
import dev.sluice.simulation.PlainUsage;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.WorkloadBuilder;
import dev.sluice.workload.Workload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Victims of small worlds against all sets that there are, by the formulas as they are written. */
@Tag("core")
class VictimOracleTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void victims_are_enough_and_nobody_of_them_can_be_spared(long block) {
        int found = 0;
        int none = 0;
        for (long seed = block * 1000; seed < block * 1000 + 120; seed++) {
            RandomWorlds worlds = new RandomWorlds(seed);
            Configuration configuration = worlds.cluster(true).build();
            EngineStory story = EngineStory.on(configuration, AdmissionSettings.defaults());
            for (int number = 0; number < 9; number++) {
                story.submit(
                        worlds.workload("w" + number).priority(worlds.random().nextInt(3)));
            }
            for (int number = 0; number < 6; number++) {
                Result result = check(
                        story.engine(),
                        configuration,
                        worlds.workload("new" + number).priority(2),
                        story.now());
                found += result == Result.FOUND ? 1 : 0;
                none += result == Result.NONE ? 1 : 0;
            }
        }
        assertThat(found).as("worlds with victims").isGreaterThan(10);
        assertThat(none).as("worlds without").isGreaterThan(10);
    }

    private enum Result {
        FREE,
        FOUND,
        NONE
    }

    private Result check(Engine engine, Configuration configuration, WorkloadBuilder asked, Instant at) {
        Workload workload = asked.createdAt(at).build();
        Explanation explanation = engine.explain(workload, at);
        Roster roster = engine.roster();
        CompiledQueue compiled = roster.world().resolve(workload.namespace(), workload.localQueue());
        if (compiled == null || compiled.isStopped()) {
            return Result.FREE;
        }
        TrackedWorkload one = new TrackedWorkload(workload, at);
        PreparedRequest request = new PreparedRequest(compiled, roster.world().feasibility(), workload.podSets());
        Protection protection = new Protection(candidate -> false, roster.settings.victimChoice(), roster.now());
        VictimSearch search = VictimSearch.of(roster.promised(), roster::queue, roster.settings, protection);
        Nomination nomination =
                new FlavorFit(roster.promised(), search, roster.settings).nominate(one, request, null, null);
        if (nomination.mode() != Nomination.Mode.PREEMPT) {
            return Result.FREE;
        }
        List<TrackedWorkload> victims = new ArrayList<>();
        search.search(one, compiled, nomination.contested(), nomination.charge())
                .forEach(victim -> victims.add(victim.workload()));
        List<TrackedWorkload> allowed = allowed(roster, configuration, one, compiled, nomination);
        if (victims.isEmpty()) {
            if (allowed.size() <= 12 && isPlain(configuration, compiled)) {
                assertThat(anySetFits(roster, configuration, nomination, allowed, compiled.name()))
                        .as("no set of %s helps %s", allowed.size(), workload.id())
                        .isFalse();
            }
            return Result.NONE;
        }
        assertThat(allowed).containsAll(victims);
        assertThat(fits(roster, configuration, nomination, victims))
                .as("they are enough")
                .isTrue();
        for (TrackedWorkload spared : victims) {
            List<TrackedWorkload> fewer = new ArrayList<>(victims);
            fewer.remove(spared);
            boolean enough = fits(roster, configuration, nomination, fewer) && !fewer.isEmpty();
            assertThat(enough && mayBorrow(compiled))
                    .as("%s can be spared", spared.id())
                    .isFalse();
        }
        if (explanation.verdict() == Explanation.Verdict.ADMIT_BY_PREEMPTING) {
            assertThat(explanation.victims()).hasSameSizeAs(victims);
        }
        return Result.FOUND;
    }

    /** A queue that takes from nobody but itself: then a set that helps is one that is found. */
    private static boolean isPlain(Configuration configuration, CompiledQueue queue) {
        ClusterQueue config = configuration.clusterQueues().get(queue.name());
        return config != null && config.preemption().reclaimWithinCohort() == ReclaimWithinCohort.NEVER;
    }

    private static boolean mayBorrow(CompiledQueue queue) {
        return !queue.reclaims();
    }

    private static List<TrackedWorkload> allowed(
            Roster roster,
            Configuration configuration,
            TrackedWorkload one,
            CompiledQueue queue,
            Nomination nomination) {
        ClusterQueue config = configuration.clusterQueues().get(queue.name());
        List<TrackedWorkload> allowed = new ArrayList<>();
        for (TrackedWorkload other : roster.everybody()) {
            Charge charge = other.charge;
            if (charge == null || other.isEvicting() || config == null || !charge.uses(nomination.contested())) {
                continue;
            }
            boolean own = other.queueOrThrow().name().equals(queue.name());
            boolean lower = other.priority < one.priority;
            boolean newer = other.priority == one.priority && one.queuedAt.isBefore(other.queuedAt);
            boolean may = own
                    ? config.preemption().withinClusterQueue() != WithinClusterQueue.NEVER
                            && (lower
                                    || (newer
                                            && config.preemption().withinClusterQueue()
                                                    == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY))
                    : config.preemption().reclaimWithinCohort() == ReclaimWithinCohort.ANY
                            || (lower && config.preemption().reclaimWithinCohort() != ReclaimWithinCohort.NEVER);
            if (may) {
                allowed.add(other);
            }
        }
        return allowed;
    }

    private static boolean anySetFits(
            Roster roster,
            Configuration configuration,
            Nomination nomination,
            List<TrackedWorkload> allowed,
            String queue) {
        for (int set = 1; set < 1 << allowed.size(); set++) {
            List<TrackedWorkload> chosen = new ArrayList<>();
            for (int index = 0; index < allowed.size(); index++) {
                if ((set >> index & 1) == 1
                        && allowed.get(index).queueOrThrow().name().equals(queue)) {
                    chosen.add(allowed.get(index));
                }
            }
            if (!chosen.isEmpty() && fits(roster, configuration, nomination, chosen)) {
                return true;
            }
        }
        return false;
    }

    private static boolean fits(
            Roster roster, Configuration configuration, Nomination nomination, List<TrackedWorkload> without) {
        Set<TrackedWorkload> gone = new HashSet<>(without);
        PlainUsage.Sum charged = new PlainUsage.Sum();
        for (TrackedWorkload one : roster.everybody()) {
            if (one.assignment != null && !one.isEvicting() && !gone.contains(one)) {
                Charge charge = one.chargeOrThrow();
                for (int line : charge.lines()) {
                    charged.add(
                            one.assignment.clusterQueue(),
                            Map.of(roster.world().tree().line(line), charge.amount(line)));
                }
            }
        }
        PlainUsage usage = charged.in(new PlainTree(configuration, Map.of()));
        Charge charge = nomination.charge();
        for (int index = 0; index < charge.lines().length; index++) {
            QuotaLine line = roster.world().tree().line(charge.lines()[index]);
            if (charge.amounts()[index]
                    > Math.max(0, usage.available(nomination.request().queue.name(), line))) {
                return false;
            }
        }
        return true;
    }
}
