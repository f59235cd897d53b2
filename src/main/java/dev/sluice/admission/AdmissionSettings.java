package dev.sluice.admission;

/**
 * Which policies the engine follows. Each deliberate deviation from Kueue is one component; parity switches all off. Fair
 * sharing is no deviation: Kueue has it as a choice too.
 *
 * @param earmarks a preemptor's whole assignment is set aside from its decision on, and it leaves the head of its queue
 * @param feasibleVictimsOnly nothing is preempted for what would not fit the usable devices afterwards
 * @param uncontestedMayBorrow who reclaims its quota of one line may borrow of another on which nobody must be preempted
 * @param fairAfterTrimming a victim that turns out not to be needed is spared only if taking the others is fair without it
 * @param reclaimFromPartial pods that are done free quota of a partially admitted workload too, and pods that run again are
 *     charged even beyond what was admitted
 * @param orderKeeping what whoever is at the front of a queue keeps for itself
 * @param victimChoice who is protected from preemption, and who goes first among equals
 * @param startRetries what becomes of a workload whose pods do not start
 * @param overcommitment what becomes of running work that is left without quota
 */
public record AdmissionSettings(
        boolean earmarks,
        boolean feasibleVictimsOnly,
        boolean uncontestedMayBorrow,
        boolean fairAfterTrimming,
        boolean reclaimFromPartial,
        OrderKeeping orderKeeping,
        VictimChoice victimChoice,
        StartRetries startRetries,
        Overcommitment overcommitment,
        FairSharing fairSharing) {
    public static AdmissionSettings defaults() {
        return new AdmissionSettings(
                true,
                true,
                true,
                true,
                true,
                OrderKeeping.DEFAULT,
                VictimChoice.DEFAULT,
                StartRetries.DEFAULT,
                Overcommitment.KEEP,
                FairSharing.OFF);
    }

    public static AdmissionSettings kueueParity() {
        return new AdmissionSettings(
                false,
                false,
                false,
                false,
                false,
                OrderKeeping.KUEUE,
                VictimChoice.KUEUE,
                StartRetries.KUEUE,
                Overcommitment.KEEP,
                FairSharing.OFF);
    }

    public AdmissionSettings with(FairSharing sharing) {
        return new AdmissionSettings(
                earmarks,
                feasibleVictimsOnly,
                uncontestedMayBorrow,
                fairAfterTrimming,
                reclaimFromPartial,
                orderKeeping,
                victimChoice,
                startRetries,
                overcommitment,
                sharing);
    }

    public AdmissionSettings with(OrderKeeping keeping) {
        return new AdmissionSettings(
                earmarks,
                feasibleVictimsOnly,
                uncontestedMayBorrow,
                fairAfterTrimming,
                reclaimFromPartial,
                keeping,
                victimChoice,
                startRetries,
                overcommitment,
                fairSharing);
    }

    public AdmissionSettings with(VictimChoice choice) {
        return new AdmissionSettings(
                earmarks,
                feasibleVictimsOnly,
                uncontestedMayBorrow,
                fairAfterTrimming,
                reclaimFromPartial,
                orderKeeping,
                choice,
                startRetries,
                overcommitment,
                fairSharing);
    }

    public AdmissionSettings with(StartRetries retries) {
        return new AdmissionSettings(
                earmarks,
                feasibleVictimsOnly,
                uncontestedMayBorrow,
                fairAfterTrimming,
                reclaimFromPartial,
                orderKeeping,
                victimChoice,
                retries,
                overcommitment,
                fairSharing);
    }

    public AdmissionSettings with(Overcommitment policy) {
        return new AdmissionSettings(
                earmarks,
                feasibleVictimsOnly,
                uncontestedMayBorrow,
                fairAfterTrimming,
                reclaimFromPartial,
                orderKeeping,
                victimChoice,
                startRetries,
                policy,
                fairSharing);
    }
}
