package dev.sluice.admission;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The first of a parked lane, which would start as things stand.
 *
 * @param charge what it costs
 * @param borrows whether it has to borrow
 * @param preempts whether it has to preempt
 * @param precedence null = it is not told where shares do not compare in one place
 * @param entry as it was nominated; null = it was not, since all this is known of it without
 */
record Startable(
        QueueState queue,
        Lane lane,
        Charge charge,
        boolean borrows,
        boolean preempts,
        @Nullable Precedence precedence,
        @Nullable Entry entry) {
    static Startable of(Entry entry) {
        return new Startable(
                entry.queue,
                entry.lane,
                entry.nomination.charge(),
                entry.nomination.borrowing() > 0,
                !entry.victims.isEmpty(),
                null,
                entry);
    }

    /** One that fits, by borrowing. */
    static Startable borrowing(QueueState queue, Lane lane, Charge charge) {
        return new Startable(queue, lane, charge, true, false, null, null);
    }

    /** One that would borrow, and fits once enough of its own queue's are gone. */
    static Startable borrowingOverOwn(QueueState queue, Lane lane, Charge charge) {
        return new Startable(queue, lane, charge, true, true, null, null);
    }

    Precedence precedenceOrThrow() {
        return Objects.requireNonNull(precedence);
    }

    Startable with(Precedence told) {
        return new Startable(queue, lane, charge, borrows, preempts, told, entry);
    }
}
