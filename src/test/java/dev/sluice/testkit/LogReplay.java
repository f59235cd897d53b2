package dev.sluice.testkit;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.ReplayReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Leads a fresh engine through the committed log and tells where it decides otherwise than was committed. */
public final class LogReplay {
    private final Engine engine = new Engine(AdmissionSettings.defaults());
    private final @Nullable AdmissionSettings otherwise;
    private final List<String> differences = new ArrayList<>();
    private int batches;

    private LogReplay(@Nullable AdmissionSettings otherwise) {
        this.otherwise = otherwise;
    }

    /** Empty = every batch was decided again exactly as committed. The log must have at least one batch. */
    public static List<String> differences(ReplayReader log) {
        return differences(new LogReplay(null), log);
    }

    /** As if it had been decided by these settings, whatever the log says. */
    public static List<String> differencesUnder(AdmissionSettings settings, ReplayReader log) {
        return differences(new LogReplay(settings), log);
    }

    private static List<String> differences(LogReplay replay, ReplayReader log) {
        log.replay(replay::decideAgain);
        if (replay.batches == 0) {
            throw new AssertionError("the log is empty: nothing was compared");
        }
        return replay.differences;
    }

    private void decideAgain(ReplayReader.LoggedBatch batch) {
        batches++;
        List<Decision> committed = new ArrayList<>();
        for (Batch.Entry entry : batch.entries()) {
            switch (entry) {
                case Batch.Entry.Input input -> engine.apply(asTold(input.event()), batch.at());
                case Batch.Entry.Decided decided -> committed.add(decided.decision());
            }
        }
        List<Decision> again = engine.decide(batch.at());
        if (!again.equals(committed)) {
            differences.add("batch " + batch.number() + ": committed " + committed + ", decided again " + again);
        }
    }

    private EngineEvent asTold(EngineEvent event) {
        return otherwise != null && event instanceof EngineEvent.EngineRestarted
                ? new EngineEvent.EngineRestarted(otherwise)
                : event;
    }
}
