package dev.sluice.admission;

import dev.sluice.quota.Amounts;

/** How much of a line a workload keeps from others for the rest of a cycle when it would have to preempt but cannot. */
final class Reservation {
    private Reservation() {}

    /** At least 0: a queue that is over its limit has nothing to keep. */
    static long of(long wanted, long nominal, long borrowingLimit, long used, boolean borrowing) {
        if (!borrowing) {
            return Math.max(0, Math.min(wanted, Amounts.minus(nominal, used)));
        }
        return borrowingLimit == Amounts.UNLIMITED
                ? wanted
                : Math.max(0, Math.min(wanted, Amounts.minus(Amounts.plus(nominal, borrowingLimit), used)));
    }
}
