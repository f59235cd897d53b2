package dev.sluice.admission;

/**
 * Which policies the engine follows. Each deliberate deviation from Kueue is one component; parity switches all off.
 *
 * @param earmarks a preemptor's whole assignment is set aside from its decision on, and it leaves the head of its queue
 * @param feasibleVictimsOnly nothing is preempted for what would not fit the usable devices afterwards
 * @param uncontestedMayBorrow who reclaims its quota of one line may borrow of another on which nobody must be preempted
 */
public record AdmissionSettings(boolean earmarks, boolean feasibleVictimsOnly, boolean uncontestedMayBorrow) {
    public static AdmissionSettings defaults() {
        return new AdmissionSettings(true, true, true);
    }

    public static AdmissionSettings kueueParity() {
        return new AdmissionSettings(false, false, false);
    }
}
