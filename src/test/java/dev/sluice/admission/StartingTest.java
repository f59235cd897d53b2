package dev.sluice.admission;

import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who should have been ready by now. */
@Tag("core")
class StartingTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final StartRetries LIMITED = new StartRetries(LIMIT, true, 0, Duration.ZERO, Duration.ZERO, 0, true);
    private static final StartRetries UNLIMITED =
            new StartRetries(Duration.ZERO, true, 0, Duration.ZERO, Duration.ZERO, 0, true);

    private final Starting starting = new Starting();

    private static TrackedWorkload admitted(String name, Instant at) {
        TrackedWorkload one = new TrackedWorkload(
                aWorkload(name).in("q").gpus(1).createdAt(NOON).build(), NOON);
        one.state = WorkloadState.ADMITTED;
        one.admittedAt = at;
        return one;
    }

    @Test
    void nobody_is_late_where_nobody_starts() {
        assertThat(starting.late(LIMITED, NOON.plus(LIMIT))).isNull();
        assertThat(starting.nextDue(LIMITED)).isNull();
    }

    @Test
    void the_time_ends_with_its_last_moment() {
        TrackedWorkload one = admitted("one", NOON);
        starting.add(one, LIMITED);
        Instant before = NOON.plus(LIMIT).minusNanos(1);

        assertThat(starting.nextDue(LIMITED)).isEqualTo(NOON.plus(LIMIT));
        starting.sawUnready(one, LIMITED, before);
        assertThat(starting.late(LIMITED, before)).isNull();
        assertThat(starting.drainOverdue()).isEmpty();
        assertThat(starting.late(LIMITED, NOON.plus(LIMIT)))
                .as("overdue is not late until somebody looked")
                .isNull();
        assertThat(starting.drainOverdue()).containsExactly(one.id());
        assertThat(starting.drainOverdue()).as("told once").isEmpty();
        assertThat(starting.nextDue(LIMITED)).isNull();
        starting.sawUnready(one, LIMITED, NOON.plus(LIMIT));
        assertThat(starting.late(LIMITED, NOON.plus(LIMIT))).isSameAs(one);
    }

    @Test
    void who_is_seen_unready_after_its_time_is_late_at_once() {
        TrackedWorkload one = admitted("one", NOON);
        starting.add(one, LIMITED);
        starting.sawUnready(one, LIMITED, NOON.plus(LIMIT));

        assertThat(starting.late(LIMITED, NOON.plus(LIMIT))).isSameAs(one);
        assertThat(starting.drainOverdue()).isEmpty();
        TrackedWorkload stranger = admitted("stranger", NOON.minusSeconds(9));
        starting.sawUnready(stranger, LIMITED, NOON.plus(LIMIT));
        assertThat(starting.late(LIMITED, NOON.plus(LIMIT)))
                .as("who does not start is not late")
                .isSameAs(one);
    }

    @Test
    void the_one_that_should_have_been_ready_the_longest_ago_comes_first_then_by_id() {
        TrackedWorkload a = admitted("a", NOON.plusSeconds(1));
        TrackedWorkload b = admitted("b", NOON);
        TrackedWorkload c = admitted("c", NOON);
        TrackedWorkload first = b.id().compareTo(c.id()) < 0 ? b : c;
        TrackedWorkload second = first.equals(b) ? c : b;
        Instant late = NOON.plus(LIMIT).plusSeconds(5);
        for (TrackedWorkload one : new TrackedWorkload[] {a, b, c}) {
            starting.add(one, LIMITED);
        }
        assertThat(starting.late(LIMITED, late)).isNull();
        assertThat(starting.drainOverdue()).containsExactly(first.id(), second.id(), a.id());
        for (TrackedWorkload one : new TrackedWorkload[] {a, b, c}) {
            starting.sawUnready(one, LIMITED, late);
        }

        assertThat(starting.late(LIMITED, late)).isSameAs(first);
        starting.remove(first);
        assertThat(starting.late(LIMITED, late)).isSameAs(second);
        starting.remove(second);
        assertThat(starting.late(LIMITED, late)).isSameAs(a);
        starting.clear();
        assertThat(starting.late(LIMITED, late)).isNull();
    }

    @Test
    void only_what_was_admitted_under_a_limit_is_waited_for() {
        starting.add(admitted("unlimited", NOON), UNLIMITED);
        TrackedWorkload runs = admitted("runs", NOON);
        runs.state = WorkloadState.RUNNING;
        starting.add(runs, LIMITED);

        assertThat(starting.nextDue(LIMITED)).isNull();
        TrackedWorkload one = admitted("one", NOON);
        starting.add(one, LIMITED);
        starting.remove(runs);
        assertThat(starting.nextDue(LIMITED)).isEqualTo(NOON.plus(LIMIT));
    }
}
