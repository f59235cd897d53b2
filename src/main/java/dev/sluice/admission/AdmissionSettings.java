package dev.sluice.admission;

import dev.sluice.quota.ShareArithmetic;
import org.jspecify.annotations.Nullable;

/**
 * Which policies the engine follows. Each deliberate deviation from Kueue is one component; parity switches all off. Fair
 * sharing is no deviation: Kueue has it as a choice too.
 *
 * @param earmarks a preemptor's whole assignment is set aside from its decision on, and it leaves the head of its queue
 * @param feasibleVictimsOnly nothing is preempted for what would not fit the usable devices afterwards
 * @param uncontestedMayBorrow who reclaims its quota of one line may borrow of another on which nobody must be preempted
 * @param fairAfterTrimming a victim that turns out not to be needed is spared only if taking the others is fair without it
 * @param fairSharingBrake who preempted another, or was preempted by it, does not preempt it by fair shares while the configuration
 *     stays the same; nor is anybody preempted by fair shares who would take back what is its queue's own
 * @param reclaimFromPartial pods that are done free quota of a partially admitted workload too, and pods that run again are
 *     charged even beyond what was admitted
 * @param nativeUnlimited cpu, memory, ephemeral storage, huge pages and pods are not limited by a queue that lists no quota of them;
 *     devices and other extended resources always need a quota
 * @param preciseWaking when something moved, only whoever could start by it is looked at again, the first of each queue; Kueue looks
 *     at everybody
 * @param orderKeeping what whoever is at the front of a queue keeps for itself
 * @param victimChoice who is protected from preemption, and who goes first among equals
 * @param startRetries what becomes of a workload whose pods do not start
 * @param stuckVictims what becomes of those that are told to leave and do not end
 * @param overcommitment what becomes of running work that is left without quota
 * @param fairSharing how what can be borrowed is divided
 * @param admissionFairSharing how past use counts between LocalQueues
 */
public record AdmissionSettings(
        boolean earmarks,
        boolean feasibleVictimsOnly,
        boolean uncontestedMayBorrow,
        boolean fairAfterTrimming,
        boolean fairSharingBrake,
        boolean reclaimFromPartial,
        boolean nativeUnlimited,
        boolean preciseWaking,
        OrderKeeping orderKeeping,
        VictimChoice victimChoice,
        StartRetries startRetries,
        StuckVictims stuckVictims,
        Overcommitment overcommitment,
        FairSharing fairSharing,
        AdmissionFairSharing admissionFairSharing) {
    /** What an older form of the record lacks comes as null. */
    public AdmissionSettings {
        stuckVictims = orOff(stuckVictims);
        admissionFairSharing = orDefault(admissionFairSharing);
    }

    private static AdmissionFairSharing orDefault(@Nullable AdmissionFairSharing given) {
        return given == null ? AdmissionFairSharing.DEFAULT : given;
    }

    private static StuckVictims orOff(@Nullable StuckVictims given) {
        return given == null ? StuckVictims.OFF : given;
    }

    public static AdmissionSettings defaults() {
        return new AdmissionSettings(
                true,
                true,
                true,
                true,
                true,
                true,
                true,
                true,
                OrderKeeping.DEFAULT,
                VictimChoice.DEFAULT,
                StartRetries.DEFAULT,
                StuckVictims.DEFAULT,
                Overcommitment.KEEP,
                FairSharing.OFF,
                AdmissionFairSharing.DEFAULT);
    }

    public static AdmissionSettings kueueParity() {
        return new AdmissionSettings(
                false,
                false,
                false,
                false,
                false,
                false,
                false,
                false,
                OrderKeeping.KUEUE,
                VictimChoice.KUEUE,
                StartRetries.KUEUE,
                StuckVictims.OFF,
                Overcommitment.KEEP,
                FairSharing.OFF,
                AdmissionFairSharing.DEFAULT);
    }

    /**
     * Whether an owner takes back quota from work of a queue that is stopped or misconfigured. Kueue leaves such a queue out of its
     * snapshot, and with it whoever runs there.
     */
    boolean idleQueuesGiveBack() {
        return earmarks;
    }

    /**
     * Whether under fair sharing what a cohort owns belongs first to those below it, whatever the cohort borrows of other lines: they take
     * it back from anybody outside, and nobody outside takes it by shares. Kueue knows that of ClusterQueues only.
     */
    boolean cohortsKeepTheirOwn() {
        return earmarks;
    }

    /**
     * In which order the resources of a request are looked at: by name, or as Kueue keeps them, by the hash of their names. With
     * {@code PreemptionOverBorrowing} the worst of several resources hangs on it.
     */
    boolean resourcesByHash() {
        return !earmarks;
    }

    /** Rounded shares may decide otherwise than the shares themselves; Kueue's are rounded. */
    ShareArithmetic shareArithmetic() {
        return earmarks ? ShareArithmetic.EXACT : ShareArithmetic.DOUBLE;
    }

    /** Whether work of a namespace that its queue does not take never competes; in Kueue it is found out at the head of the queue. */
    boolean namespaceShutsOut() {
        return earmarks;
    }

    /** Whether victims make room for the number of pods too; Kueue adds that to a request after it has looked for victims. */
    boolean victimsMakeRoomForPods() {
        return earmarks;
    }

    public AdmissionSettings with(FairSharing sharing) {
        return with(
                orderKeeping, victimChoice, startRetries, stuckVictims, overcommitment, sharing, admissionFairSharing);
    }

    public AdmissionSettings with(OrderKeeping keeping) {
        return with(
                keeping, victimChoice, startRetries, stuckVictims, overcommitment, fairSharing, admissionFairSharing);
    }

    public AdmissionSettings with(VictimChoice choice) {
        return with(
                orderKeeping, choice, startRetries, stuckVictims, overcommitment, fairSharing, admissionFairSharing);
    }

    public AdmissionSettings with(StartRetries retries) {
        return with(
                orderKeeping, victimChoice, retries, stuckVictims, overcommitment, fairSharing, admissionFairSharing);
    }

    public AdmissionSettings with(StuckVictims stuck) {
        return with(orderKeeping, victimChoice, startRetries, stuck, overcommitment, fairSharing, admissionFairSharing);
    }

    public AdmissionSettings with(Overcommitment policy) {
        return with(orderKeeping, victimChoice, startRetries, stuckVictims, policy, fairSharing, admissionFairSharing);
    }

    public AdmissionSettings with(AdmissionFairSharing sharing) {
        return with(orderKeeping, victimChoice, startRetries, stuckVictims, overcommitment, fairSharing, sharing);
    }

    private AdmissionSettings with(
            OrderKeeping keeping,
            VictimChoice choice,
            StartRetries retries,
            StuckVictims stuck,
            Overcommitment policy,
            FairSharing sharing,
            AdmissionFairSharing amongLocalQueues) {
        return new AdmissionSettings(
                earmarks,
                feasibleVictimsOnly,
                uncontestedMayBorrow,
                fairAfterTrimming,
                fairSharingBrake,
                reclaimFromPartial,
                nativeUnlimited,
                preciseWaking,
                keeping,
                choice,
                retries,
                stuck,
                policy,
                sharing,
                amongLocalQueues);
    }
}
