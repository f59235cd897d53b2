package dev.sluice.testkit;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.ReplayReader;
import java.util.ArrayList;
import java.util.List;

/** Leads a fresh engine through the committed log and tells where it decides otherwise than was committed. */
public final class LogReplay {
    private final Engine engine;
    private final List<String> differences = new ArrayList<>();
    private int batches;

    private LogReplay(AdmissionSettings settings) {
        engine = new Engine(settings);
    }

    /** Empty = every batch was decided again exactly as committed. The log must have at least one batch. */
    public static List<String> differences(ReplayReader log, AdmissionSettings settings) {
        LogReplay replay = new LogReplay(settings);
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
                case Batch.Entry.Input input -> engine.apply(input.event(), batch.at());
                case Batch.Entry.Decided decided -> committed.add(decided.decision());
            }
        }
        List<Decision> again = engine.decide(batch.at());
        if (!again.equals(committed)) {
            differences.add("batch " + batch.number() + ": committed " + committed + ", decided again " + again);
        }
    }
}
