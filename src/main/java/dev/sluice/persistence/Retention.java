package dev.sluice.persistence;

import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/**
 * Deletes what has been kept for long enough, a bounded number of rows to a transaction, so that no commit of the leader waits for
 * it. Any replica may sweep, also several at once.
 */
public final class Retention {
    private static final int ROWS_MAX = 2000;

    /** Rows that another sweep deletes just now are its business. */
    private static final String END_WORKLOADS = """
            with gone as (
                delete from workload where id in (
                    select id from workload
                    where final_state is not null and not charged and ended_at < statement_timestamp() - ? * interval '1 second'
                    order by ended_at limit ? for update skip locked)
                returning id
            ), shapes as (
                delete from pod_set where workload_id in (select id from gone)
            )
            delete from submission where workload_id in (select id from gone)
            """;

    /** From the front, and never what a reader has not read. */
    private static final String CUT_LOG = """
            delete from event_log where position in (
                select position from (select position, at from event_log order by position limit ?) front
                where at < statement_timestamp() - ? * interval '1 second'
                    and position <= (select coalesce(min(position), 9223372036854775807) from reader_position))
            """;

    private static final String FORGET_EVICTIONS = """
            delete from eviction where id in (
                select id from (select id, at from eviction order by id limit ?) front
                where at < statement_timestamp() - ? * interval '1 second')
            """;

    private static final String FORGET_OUTCOMES = """
            delete from command_outcome where command_id in (
                select command_id from command_outcome
                where at < statement_timestamp() - ? * interval '1 second' order by at limit ? for update skip locked)
            """;

    private static final String FORGET_KEYS = """
            delete from idempotency_key where (caller, key) in (
                select caller, key from idempotency_key
                where expires_at < statement_timestamp() - ? * interval '1 second' order by expires_at limit ?
                for update skip locked)
            """;

    private final Transactions transactions;
    private final Times times;

    public Retention(DataSource dataSource, Times times) {
        this.transactions = new Transactions(dataSource);
        this.times = times;
    }

    /** How long each is kept. A replay needs the workloads that its log names, so they stay at least as long. */
    public record Times(Duration endedWorkloads, Duration eventLog, Duration evictions, Duration commandOutcomes) {
        public Times {
            if (endedWorkloads.compareTo(eventLog) < 0) {
                throw new IllegalArgumentException("ended workloads must be kept at least as long as the event log: "
                        + endedWorkloads + " is less than " + eventLog);
            }
        }
    }

    /** How many rows of each are gone; of workloads only the workloads are counted. */
    public record Swept(long logEntries, long workloads, long evictions, long outcomes, long keys) {}

    /** Returns when nothing is left to delete, or early when {@code goOn} says so. */
    public Swept sweep(BooleanSupplier goOn) {
        return new Swept(
                repeat(goOn, CUT_LOG, ROWS_MAX, times.eventLog().toSeconds()),
                repeat(goOn, END_WORKLOADS, times.endedWorkloads().toSeconds(), ROWS_MAX),
                repeat(goOn, FORGET_EVICTIONS, ROWS_MAX, times.evictions().toSeconds()),
                repeat(goOn, FORGET_OUTCOMES, times.commandOutcomes().toSeconds(), ROWS_MAX),
                repeat(goOn, FORGET_KEYS, 0, ROWS_MAX));
    }

    private long repeat(BooleanSupplier goOn, String sql, long first, long second) {
        long all = 0;
        while (goOn.getAsBoolean()) {
            int deleted = transactions.one(connection -> {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.setLong(1, first);
                    statement.setLong(2, second);
                    return statement.executeUpdate();
                }
            });
            all += deleted;
            if (deleted == 0) {
                break;
            }
        }
        return all;
    }
}
