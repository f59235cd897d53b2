package dev.sluice.bench;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.persistence.PostgresReplayReader;
import dev.sluice.platform.EmbeddedDatabase;
import dev.sluice.scheduling.Batch.Entry;
import dev.sluice.scheduling.ReplayReader.LoggedBatch;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Whether a fresh engine, led through the committed log, decides what was decided.
 *
 * @param decisions how many were compared
 * @param differences the first of them, in words; empty = none
 */
record ReplayAudit(long decisions, List<String> differences) {
    private static final int DIFFERENCES_MAX = 20;

    static ReplayAudit of(EmbeddedDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.jdbcUrl());
        source.setUser(database.user());
        source.setPassword(database.password());
        Replay replay = new Replay();
        new PostgresReplayReader(source).replay(replay::follow);
        return new ReplayAudit(replay.decisions, List.copyOf(replay.differences));
    }

    private static final class Replay {
        private final Engine engine = new Engine(AdmissionSettings.defaults());
        private final List<String> differences = new ArrayList<>();
        private long decisions;

        void follow(LoggedBatch batch) {
            List<Decision> logged = new ArrayList<>();
            for (Entry entry : batch.entries()) {
                switch (entry) {
                    case Entry.Input input -> engine.apply(input.event(), batch.at());
                    case Entry.Decided decided -> logged.add(decided.decision());
                }
            }
            List<Decision> decided = engine.decide(batch.at());
            decisions += logged.size();
            if (!decided.equals(logged) && differences.size() < DIFFERENCES_MAX) {
                differences.add(
                        "batch " + batch.number() + " at " + batch.at() + " decided " + logged + ", now " + decided);
            }
        }
    }
}
