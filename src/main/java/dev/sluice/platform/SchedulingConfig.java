package dev.sluice.platform;

import dev.sluice.admission.AdmissionFairSharing;
import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.FairSharing;
import dev.sluice.admission.OrderKeeping;
import dev.sluice.admission.Overcommitment;
import dev.sluice.admission.StartRetries;
import dev.sluice.admission.StuckVictims;
import dev.sluice.admission.VictimChoice;
import dev.sluice.scheduling.SchedulingSettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code sluice.scheduling.*}: how the leader works, and which policies the engine follows. */
@ConfigMapping(prefix = "sluice.scheduling")
public interface SchedulingConfig {
    /** After which another replica may lead if nothing was heard of the leader. */
    @WithDefault("10s")
    Duration leadershipTimeToLive();

    /** Between looks at the intake table when no hint came; bounds how late another replica's command is seen. */
    @WithDefault("250ms")
    Duration pollInterval();

    /** Most commands and observations in one batch: bounds a transaction's length. */
    @WithDefault("4096")
    int inputsMax();

    /** Most submissions in one intake transaction. */
    @WithDefault("256")
    int submissionsMax();

    /** How long a PATCH or DELETE waits for the leader before it answers 202. */
    @WithDefault("2s")
    Duration answerPatience();

    /** Between comparisons of what is charged with what runs. */
    @WithDefault("60s")
    Duration driftCheckInterval();

    @WithDefault("default")
    Policies policies();

    enum Policies {
        DEFAULT,
        /** Every deliberate deviation from Kueue off. */
        KUEUE_PARITY
    }

    FairSharingConfig fairSharing();

    OrderConfig order();

    VictimConfig victims();

    StartConfig starts();

    StuckConfig stuck();

    OvercommitmentConfig overcommitment();

    /** {@code sluice.scheduling.order.*}: what the front of a queue keeps for itself; of no effect in Kueue's parity. */
    interface OrderConfig {
        /** Whether the head of a strict queue holds up only those who need what it has too little of. */
        @WithDefault("true")
        boolean perLine();

        /** How long the front of a best-effort queue waits until it keeps what it needs; zero = it never does. */
        @WithDefault("15m")
        Duration guardAfter();
    }

    /** {@code sluice.scheduling.victims.*}: who is protected from preemption; of no effect in Kueue's parity. */
    interface VictimConfig {
        /** What was admitted is not preempted before it held its quota for so long. */
        @WithDefault("0s")
        Duration minimumRunTime();

        /** Preemptions in a row for one queue after which the brake is on; 0 = never. */
        @WithDefault("10")
        int brakeAfter();

        /** What the brake is on for is not preempted for that queue before it held its quota for so long. */
        @WithDefault("5m")
        Duration brakeFor();
    }

    /** {@code sluice.scheduling.starts.*}: what becomes of a workload whose pods do not start. */
    interface StartConfig {
        /** Its pods must be ready so long after its admission; zero = there is no limit. Of no effect in Kueue's parity. */
        @WithDefault("30m")
        Duration readyTimeout();

        /** Whether who was not ready in time keeps its place in the queue, by creation time, instead of going to its end. */
        @WithDefault("false")
        boolean keepPlace();

        /** Failed starts that cost no wait. */
        @WithDefault("0")
        int triesAtOnce();

        /** The first wait, doubled with each failed start. */
        @WithDefault("60s")
        Duration waitBase();

        @WithDefault("1h")
        Duration waitMax();

        /** Failed starts after which a workload is deactivated; 0 = it is tried for ever. */
        @WithDefault("0")
        int startsMax();
    }

    /** {@code sluice.scheduling.stuck.*}: what becomes of those that are told to leave and do not end; of no effect in Kueue's parity. */
    interface StuckConfig {
        /** How long after it was told to leave one is stuck, and people are told; zero = they never are. */
        @WithDefault("15m")
        Duration after();

        /** What whoever waits for its room does then. */
        @WithDefault("wait")
        StuckVictims.Then policy();
    }

    /** {@code sluice.scheduling.overcommitment.*}: what becomes of running work that is left without quota. */
    interface OvercommitmentConfig {
        @WithDefault("keep")
        OvercommitmentPolicy policy();

        /** How long after it was found to be over quota it is drained. */
        @WithDefault("10m")
        Duration grace();
    }

    enum OvercommitmentPolicy {
        /** It may end in its own time. */
        KEEP,
        /** It is evicted, lowest priority and newest first. */
        DRAIN
    }

    /** {@code sluice.scheduling.fair-sharing.*}: whether what can be borrowed is divided by fair shares. */
    interface FairSharingConfig {
        @WithDefault("false")
        boolean enabled();

        /** When a preemptor may take from whoever has more, in the order in which they are tried. */
        @WithDefault("less-than-or-equal-to-final-share,less-than-initial-share")
        List<FairSharing.Strategy> preemptionStrategies();
    }

    AdmissionFairSharingConfig admissionFairSharing();

    /**
     * {@code sluice.scheduling.admission-fair-sharing.*}: how past use counts between the LocalQueues of a ClusterQueue whose
     * {@code admissionScope} asks for it.
     */
    interface AdmissionFairSharingConfig {
        /** After which past use counts half. */
        @WithDefault("168h")
        Duration usageHalfLife();

        /** An admission counts at once as much as it would after running that long. */
        @WithDefault("5m")
        Duration usageSamplingInterval();

        /** What a core, a byte, a device counts, by resource; 1 if not named. */
        Map<String, Double> resourceWeights();

        default AdmissionFairSharing settings() {
            return new AdmissionFairSharing(usageHalfLife(), usageSamplingInterval(), new TreeMap<>(resourceWeights()));
        }
    }

    default SchedulingSettings settings() {
        return new SchedulingSettings(
                leadershipTimeToLive(), pollInterval(), inputsMax(), submissionsMax(), answerPatience());
    }

    default AdmissionSettings admission() {
        AdmissionSettings chosen = switch (policies()) {
            case DEFAULT ->
                AdmissionSettings.defaults()
                        .with(new OrderKeeping(order().perLine(), order().guardAfter()))
                        .with(victimChoice())
                        .with(new StuckVictims(stuck().after(), stuck().policy()));
            case KUEUE_PARITY -> AdmissionSettings.kueueParity();
        };
        return chosen.with(startRetries(chosen.startRetries()))
                .with(
                        overcommitment().policy() == OvercommitmentPolicy.DRAIN
                                ? Overcommitment.drainAfter(overcommitment().grace())
                                : Overcommitment.KEEP)
                .with(admissionFairSharing().settings())
                .with(
                        fairSharing().enabled()
                                ? new FairSharing(fairSharing().preemptionStrategies())
                                : FairSharing.OFF);
    }

    private VictimChoice victimChoice() {
        return new VictimChoice(
                victims().minimumRunTime(),
                victims().brakeAfter(),
                victims().brakeFor(),
                VictimChoice.DEFAULT.byCheckpoint(),
                VictimChoice.DEFAULT.cheapestAlone());
    }

    private StartRetries startRetries(StartRetries ofPolicies) {
        boolean parity = policies() == Policies.KUEUE_PARITY;
        return new StartRetries(
                parity ? ofPolicies.readyTimeout() : starts().readyTimeout(),
                !starts().keepPlace(),
                starts().triesAtOnce(),
                starts().waitBase(),
                starts().waitMax(),
                starts().startsMax(),
                ofPolicies.resetWhenReady());
    }
}
