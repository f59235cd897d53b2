package dev.sluice.api.wire;

import dev.sluice.admission.CheckStatus;
import dev.sluice.quota.AdmissionMode;
import dev.sluice.quota.FlavorFungibility.Preference;
import dev.sluice.quota.FlavorFungibility.Search;
import dev.sluice.quota.LabelRequirement;
import dev.sluice.quota.NearestNames;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.StopPolicy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The words by which a body chooses among a few values; Kueue's words. Where two words mean one value, the first is written. */
public record Choice<E>(Map<String, E> values) {
    public static final Choice<QueueingStrategy> QUEUEING_STRATEGY = Choice.<QueueingStrategy>none()
            .or("BestEffortFIFO", QueueingStrategy.BEST_EFFORT_FIFO)
            .or("StrictFIFO", QueueingStrategy.STRICT_FIFO);
    public static final Choice<AdmissionMode> ADMISSION_MODE = Choice.<AdmissionMode>none()
            .or("NoAdmissionFairSharing", AdmissionMode.NONE)
            .or("UsageBasedAdmissionFairSharing", AdmissionMode.USAGE_BASED);
    public static final Choice<LabelRequirement.Operator> LABEL_OPERATOR = Choice.<LabelRequirement.Operator>none()
            .or("In", LabelRequirement.Operator.IN)
            .or("NotIn", LabelRequirement.Operator.NOT_IN)
            .or("Exists", LabelRequirement.Operator.EXISTS)
            .or("DoesNotExist", LabelRequirement.Operator.DOES_NOT_EXIST);
    public static final Choice<StopPolicy> STOP_POLICY = Choice.<StopPolicy>none()
            .or("None", StopPolicy.NONE)
            .or("Hold", StopPolicy.HOLD)
            .or("HoldAndDrain", StopPolicy.HOLD_AND_DRAIN);
    public static final Choice<WithinClusterQueue> WITHIN_CLUSTER_QUEUE = Choice.<WithinClusterQueue>none()
            .or("Never", WithinClusterQueue.NEVER)
            .or("LowerPriority", WithinClusterQueue.LOWER_PRIORITY)
            .or("LowerOrNewerEqualPriority", WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY);
    public static final Choice<ReclaimWithinCohort> RECLAIM_WITHIN_COHORT = Choice.<ReclaimWithinCohort>none()
            .or("Never", ReclaimWithinCohort.NEVER)
            .or("LowerPriority", ReclaimWithinCohort.LOWER_PRIORITY)
            .or("Any", ReclaimWithinCohort.ANY);
    public static final Choice<Boolean> BORROW_WITHIN_COHORT =
            Choice.<Boolean>none().or("Never", false).or("LowerPriority", true);
    public static final Choice<Search> SEARCH = Choice.<Search>none()
            .or("MayStopSearch", Search.MAY_STOP_SEARCH)
            .or("TryNextFlavor", Search.TRY_NEXT_FLAVOR);
    public static final Choice<Search> SEARCH_V1BETA1 =
            SEARCH.or("Borrow", Search.MAY_STOP_SEARCH).or("Preempt", Search.MAY_STOP_SEARCH);
    public static final Choice<Preference> PREFERENCE = Choice.<Preference>none()
            .or("BorrowingOverPreemption", Preference.BORROWING_OVER_PREEMPTION)
            .or("PreemptionOverBorrowing", Preference.PREEMPTION_OVER_BORROWING);

    public static final Choice<CheckStatus.State> CHECK_STATE = Choice.<CheckStatus.State>none()
            .or("Pending", CheckStatus.State.PENDING)
            .or("Ready", CheckStatus.State.READY)
            .or("Retry", CheckStatus.State.RETRY)
            .or("Rejected", CheckStatus.State.REJECTED);

    private static <E> Choice<E> none() {
        return new Choice<>(new LinkedHashMap<>());
    }

    private Choice<E> or(String word, E value) {
        Map<String, E> more = new LinkedHashMap<>(values);
        more.put(word, value);
        return new Choice<>(more);
    }

    /** The fallback where nothing is given, or something wrong, which is told. */
    public E read(String field, @Nullable String word, E fallback, Mistakes mistakes) {
        if (word == null || word.isEmpty()) {
            return fallback;
        }
        E value = values.get(word);
        if (value == null) {
            mistakes.add(
                    ProblemKind.INVALID_FIELD,
                    field,
                    word,
                    "must be one of " + String.join(", ", values.keySet()),
                    NearestNames.of(word, values.keySet()));
            return fallback;
        }
        return value;
    }

    public String word(E value) {
        return values.entrySet().stream()
                .filter(entry -> entry.getValue().equals(value))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no word for " + value));
    }

    public List<String> words() {
        return List.copyOf(values.keySet());
    }
}
