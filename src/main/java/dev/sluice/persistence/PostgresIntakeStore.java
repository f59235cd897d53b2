package dev.sluice.persistence;

import dev.sluice.scheduling.Command;
import dev.sluice.scheduling.CommandOutcome;
import dev.sluice.scheduling.IntakeStore;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import jakarta.inject.Singleton;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** The intake tables. Every commit gives at most one hint to whoever listens on channel {@code sluice_intake}. */
@Singleton
public class PostgresIntakeStore implements IntakeStore {
    /** How long a repeat of an idempotency key is answered with what its first use made. */
    public static final Duration KEY_KEPT = Duration.ofHours(24);

    static final String CHANNEL = "sluice_intake";

    private static final String ENQUEUE = """
            insert into command (kind, workload_id, body, caller, enqueued_at)
            values (?, ?, ?::jsonb, ?, statement_timestamp())
            returning id, (select pg_notify('sluice_intake', ''))
            """;

    private final Transactions transactions;

    public PostgresIntakeStore(DataSource dataSource) {
        this.transactions = new Transactions(dataSource);
    }

    @Override
    public List<SubmissionResult> submit(List<Submission> submissions) {
        if (submissions.isEmpty()) {
            return List.of();
        }
        return transactions.write(connection -> new SubmissionWriter(connection, submissions).write());
    }

    @Override
    public long enqueue(Command command, String caller) {
        String body = CommandCodec.body(command)
                .orElseThrow(() -> new IllegalArgumentException("a submission is stored by submit"))
                .toString();
        return transactions.one(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(ENQUEUE)) {
                statement.setString(1, CommandCodec.kind(command));
                statement.setString(2, command.workloadId().value());
                statement.setString(3, body);
                statement.setString(4, caller);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    @Override
    public Optional<CommandOutcome> outcome(long commandId) {
        return transactions.one(connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("select refusal from command_outcome where command_id = ?")) {
                statement.setLong(1, commandId);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(new CommandOutcome(commandId, row.getString(1))) : Optional.empty();
                }
            }
        });
    }
}
