package dev.sluice.admission;

import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.ShareRanking;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One tree of the cohort forest: decided on its own, since nothing in it depends on another. */
final class TreeState {
    final int root;
    /** By name. */
    final List<QueueState> queues = new ArrayList<>();
    /** Those of which somebody is looked at in the next cycle; by name. */
    private final SortedSet<QueueState> competing = new TreeSet<>(Comparator.comparingInt(QueueState::node));
    /** Those in which somebody is parked. */
    final ParkedQueues parked = new ParkedQueues();
    /** Of a flat cohort that goes by shares, once it was asked for. */
    private @Nullable Borrowers borrowers;

    final Fronts fronts;
    /** Holding an earmark, in the order in which room is offered to them. */
    final TreeSet<TrackedWorkload> earmarked = new TreeSet<>(QueueOrder.IN_QUEUE);

    final Leaving leaving;

    private final boolean preciseWaking;
    private final VictimChoice victimChoice;
    /** Of what is promised; null = shares do not matter. */
    private final @Nullable ShareRanking ranking;

    private boolean hasStrictQueue;
    private int mostFlavors;
    /** Whether anything moved that may let somebody parked start, since they were last looked at. */
    private boolean moved;
    /** Which lanes were guards then and are not now: those behind them may start by what they kept. */
    private final Map<QueueState, Lane> unguarded = new HashMap<>();

    private long holdersVersion;
    /** How many hold quota who were preempted so often that it may be somebody's turn not to preempt them. */
    private int oftenPreempted;
    /** Whether somebody stuck counts as one that stays, and its earmarks were not looked at since. */
    private boolean givenUp;
    /** Whether anything happened since it was last decided. */
    boolean dirty = true;
    /** When it must be looked at again although nothing happened; null = never. */
    @Nullable Instant lookAgainAt;
    /** Cycles so far; dates scan memory. */
    long cycle;
    /** Grows with every instant, and in it whenever something was decided: what was seen of the flavors before then may not hold. */
    private long round;
    /** The last one in which the first of any lane lost its room. */
    private long lastLoss = -1;
    /** How many of them were before the instant that is being decided. */
    private long cyclesBefore;

    /** @param ranking of what is promised; null = shares do not matter */
    TreeState(int root, CandidateOrder order, AdmissionSettings settings, @Nullable ShareRanking ranking) {
        this.root = root;
        this.ranking = ranking;
        preciseWaking = settings.preciseWaking();
        victimChoice = settings.victimChoice();
        fronts = new Fronts(settings);
        leaving = new Leaving(order, settings.stuckVictims());
    }

    Borrowers borrowers(QuotaTree quotas) {
        Borrowers known = borrowers;
        if (known == null) {
            known = new Borrowers(this, quotas);
            borrowers = known;
        }
        return known;
    }

    /** In the order of their names, before anybody waits in it. */
    void add(QueueState queue) {
        queues.add(queue);
        hasStrictQueue |= queue.isStrict();
        mostFlavors = Math.max(mostFlavors, queue.compiled.mostFlavors());
    }

    /** As they stand now: parking somebody does not disturb who goes through them. */
    List<QueueState> competing() {
        return List.copyOf(competing);
    }

    void competes(QueueState queue, boolean competes) {
        if (competes) {
            competing.add(queue);
        } else {
            competing.remove(queue);
        }
    }

    /** Another one holds quota of a queue, or may be taken earlier or later than before. */
    void holdersMoved(QueueState queue) {
        holdersVersion++;
        if (ranking != null) {
            ranking.note(queue.node());
        }
    }

    void holds(TrackedWorkload one) {
        oftenPreempted += isOftenPreempted(one) ? 1 : 0;
    }

    void holdsNoMore(TrackedWorkload one) {
        oftenPreempted -= isOftenPreempted(one) ? 1 : 0;
    }

    private boolean isOftenPreempted(TrackedWorkload one) {
        return victimChoice.brakeAfter() > 0 && one.preemptedInARow >= victimChoice.brakeAfter();
    }

    /** Whether the time alone might let somebody be preempted who may not be now. */
    boolean protectsForATime() {
        return oftenPreempted > 0 || !victimChoice.minimumRunTime().isZero();
    }

    /** The same number is the same holders, in the same order. */
    long holdersVersion() {
        return holdersVersion;
    }

    void startInstant() {
        cyclesBefore = cycle;
        startRound();
    }

    void startRound() {
        round++;
    }

    /** Its first was found not to start on any of its flavors. Returns whether that is news in this round. */
    boolean sawAllFlavors(Lane lane) {
        boolean news = lane.seenInRound != round;
        lane.seenInRound = round;
        return news;
    }

    /** Whether its first starts on none of its flavors as things stand, however far a new scan of them has come. */
    boolean knowsAllFlavors(Lane lane) {
        return lane.seenInRound == round;
    }

    /**
     * The first of a lane lost its room to what somebody of another queue keeps: until something is decided it would again. Those that were
     * not woken since it was before them have their turn.
     */
    void lost(Lane lane) {
        lane.lostInRound = round;
        lastLoss = round;
        moved = true;
    }

    /** Whether anybody did. */
    boolean lostAnybody() {
        return lastLoss == round;
    }

    boolean hasLost(Lane lane) {
        return lane.lostInRound == round;
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
        return hasStrictQueue;
    }

    /** How many flavors a scan tries at the most. */
    int mostFlavors() {
        return mostFlavors;
    }

    /** Now or earlier: if another time stands already, the earlier of the two. Null = nothing changes. */
    void lookAgainAt(@Nullable Instant at) {
        if (at != null && (lookAgainAt == null || at.isBefore(lookAgainAt))) {
            lookAgainAt = at;
        }
    }

    /** When something is to be decided about it although nothing happens; null = never. */
    @Nullable Instant nextTimer() {
        Instant due = leaving.nextDue();
        return due == null || (lookAgainAt != null && lookAgainAt.isBefore(due)) ? lookAgainAt : due;
    }

    /** Everybody parked is looked at again, or whoever of them could start. */
    void wake() {
        dirty = true;
        moved = true;
        if (!preciseWaking) {
            queues.forEach(QueueState::wake);
        }
    }

    /** The first of a lane keeps what it needs from those behind it. If it did before it was looked at, nothing moved by that. */
    void guards(QueueState queue, Lane lane) {
        unguarded.remove(queue, lane);
    }

    /** The first of a lane does not keep anything any more, unless it is found to as before. */
    void guardsNoMore(QueueState queue, Lane lane) {
        dirty = true;
        unguarded.put(queue, lane);
    }

    /** As if nobody had been looked at yet: an engine that was just restored has no other times to look again, either. */
    void wakeEverybody() {
        lookAgainAt = null;
        wake();
        queues.forEach(QueueState::wake);
    }

    /** Takes the place of a tree of an earlier configuration, with what is still to be done about it. */
    void follow(TreeState earlier) {
        cycle = earlier.cycle;
        moved |= earlier.hasMoved();
        givenUp |= earlier.givenUp;
        lookAgainAt(earlier.lookAgainAt);
    }

    /** Somebody stuck counts as one that stays from now on: there may be no room for all earmarks. */
    void givesUp() {
        givenUp = true;
    }

    /** Whether somebody is stuck of whom nobody was told, or counts as one that stays since earmarks were last looked at. */
    boolean isLate(Instant now) {
        Instant due = leaving.nextDue();
        return givenUp || (due != null && !due.isAfter(now));
    }

    boolean takeGivenUp() {
        boolean was = givenUp;
        givenUp = false;
        return was;
    }

    private boolean hasMoved() {
        return moved || !unguarded.isEmpty();
    }

    /** Whether anything moved since this was last asked. */
    boolean takeMoved() {
        boolean was = hasMoved();
        moved = false;
        unguarded.clear();
        return was;
    }
}
