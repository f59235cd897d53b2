package dev.sluice.persistence;

import dev.sluice.overview.EventLogReader;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.scheduling.ConfigurationStore;
import dev.sluice.scheduling.IntakeStore;
import dev.sluice.scheduling.LeadershipStore;
import dev.sluice.scheduling.OutboxPositions;
import dev.sluice.scheduling.ReplayReader;
import dev.sluice.scheduling.SchedulingStore;
import dev.sluice.testkit.InMemoryReads;
import dev.sluice.testkit.InMemoryStore;
import javax.sql.DataSource;

/** Every port of one store. */
record StoreUnderTest(
        IntakeStore intake,
        SchedulingStore scheduling,
        LeadershipStore leadership,
        ConfigurationStore configuration,
        WorkloadReader workloads,
        EventLogReader log,
        OutboxPositions positions,
        ReplayReader replay) {
    static StoreUnderTest of(InMemoryStore store) {
        InMemoryReads reads = new InMemoryReads(store);
        return new StoreUnderTest(store, store, store, store, reads, reads, reads, store);
    }

    static StoreUnderTest of(DataSource dataSource) {
        return new StoreUnderTest(
                new PostgresIntakeStore(dataSource),
                new PostgresSchedulingStore(dataSource),
                new PostgresLeadershipStore(dataSource),
                new PostgresConfigurationStore(dataSource),
                new PostgresWorkloadReader(dataSource),
                new PostgresEventLogReader(dataSource),
                new PostgresOutboxPositions(dataSource),
                new PostgresReplayReader(dataSource));
    }
}
