package dev.sluice.admission;

import org.jspecify.annotations.Nullable;

/**
 * A queue in which somebody might start by borrowing.
 *
 * @param precedence nobody of the queue comes earlier
 * @param least nobody of the queue asks for less
 * @param first who would start; null = it is still to be looked into
 */
record Borrower(
        QueueState queue,
        Precedence precedence,
        Charge least,
        @Nullable Startable first) {
    Borrower settled(Startable found) {
        return new Borrower(queue, found.precedenceOrThrow(), least, found);
    }
}
