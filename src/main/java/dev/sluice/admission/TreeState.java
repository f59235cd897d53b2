package dev.sluice.admission;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One tree of the cohort forest: decided on its own, since nothing in it depends on another. */
final class TreeState {
    final int root;
    /** By name. */
    final List<QueueState> queues = new ArrayList<>();
    /** Holding an earmark, in the order in which room is offered to them. */
    final TreeSet<TrackedWorkload> earmarked = new TreeSet<>(QueueOrder.IN_QUEUE);
    /** On their way out, still holding devices. */
    final TreeSet<TrackedWorkload> leaving;

    private final boolean preciseWaking;
    /** Whether anything moved that may let somebody parked start, since they were last looked at. */
    private boolean moved;
    /** Whether anything happened since it was last decided. */
    boolean dirty = true;
    /** When it must be looked at again although nothing happened; null = never. */
    @Nullable Instant lookAgainAt;
    /** Cycles so far; dates scan memory. */
    long cycle;
    /** How many of them were before the instant that is being decided. */
    private long cyclesBefore;

    TreeState(int root, CandidateOrder order, boolean preciseWaking) {
        this.root = root;
        this.preciseWaking = preciseWaking;
        leaving = new TreeSet<>(order.seenFrom(-1));
    }

    void startInstant() {
        cyclesBefore = cycle;
    }

    /**
     * When who is admitted in the present cycle was admitted. In parity each cycle of an instant is a microsecond later than the one
     * before: Kueue's cycles follow each other in time, and it chooses among victims by time alone.
     */
    Instant timeOfAdmission(Instant now, AdmissionSettings settings) {
        return settings.earmarks() ? now : now.plus(Math.max(0, cycle - cyclesBefore - 1), ChronoUnit.MICROS);
    }

    /** Heads of strict queues keep room for themselves: when one goes, others may fit. */
    boolean hasStrictQueue() {
        return queues.stream().anyMatch(QueueState::isStrict);
    }

    /** Whether the first of a lane keeps what it needs from those behind it. */
    boolean keeps(Lane lane) {
        return lane.keptInCycle == cycle;
    }

    /** Now or earlier: if another time stands already, the earlier of the two. */
    void lookAgainAt(Instant at) {
        if (lookAgainAt == null || at.isBefore(lookAgainAt)) {
            lookAgainAt = at;
        }
    }

    /** Everybody parked is looked at again, or whoever of them could start. */
    void wake() {
        dirty = true;
        moved = true;
        if (!preciseWaking) {
            queues.forEach(QueueState::wake);
        }
    }

    /** As if nobody had been looked at yet. */
    void wakeEverybody() {
        wake();
        queues.forEach(QueueState::wake);
    }

    /** Takes the place of a tree of an earlier configuration, with what is still to be done about it. */
    void follow(TreeState earlier) {
        cycle = earlier.cycle;
        moved |= earlier.moved;
        if (earlier.lookAgainAt != null) {
            lookAgainAt(earlier.lookAgainAt);
        }
    }

    /** Whether anything moved since this was last asked. */
    boolean takeMoved() {
        boolean was = moved;
        moved = false;
        return was;
    }
}
