package dev.sluice.platform;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.FairSharing;
import dev.sluice.scheduling.SchedulingSettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;

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

    /** {@code sluice.scheduling.fair-sharing.*}: whether what can be borrowed is divided by fair shares. */
    interface FairSharingConfig {
        @WithDefault("false")
        boolean enabled();

        /** When a preemptor may take from whoever has more, in the order in which they are tried. */
        @WithDefault("less-than-or-equal-to-final-share,less-than-initial-share")
        List<FairSharing.Strategy> preemptionStrategies();
    }

    default SchedulingSettings settings() {
        return new SchedulingSettings(
                leadershipTimeToLive(), pollInterval(), inputsMax(), submissionsMax(), answerPatience());
    }

    default AdmissionSettings admission() {
        AdmissionSettings chosen = switch (policies()) {
            case DEFAULT -> AdmissionSettings.defaults();
            case KUEUE_PARITY -> AdmissionSettings.kueueParity();
        };
        return chosen.with(
                fairSharing().enabled() ? new FairSharing(fairSharing().preemptionStrategies()) : FairSharing.OFF);
    }
}
