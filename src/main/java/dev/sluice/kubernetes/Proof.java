package dev.sluice.kubernetes;

/** How sure it is that a suspended Job has no pods. In the order in which it grows. */
enum Proof {
    /** The Job controller has still to answer, or pods are still ending; it will say so by itself. */
    AWAITED,
    /** The Job controller may have nothing to say, since nothing changes for it; it has to be asked. */
    OVERDUE,
    /** The Job controller has seen the stop and counts no pods; those that exist can be listed now. */
    ACKNOWLEDGED,
    /** None of its pods lives, and those at their end were counted. */
    QUIET
}
