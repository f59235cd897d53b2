package dev.sluice.bench;

import dev.sluice.fleet.FleetEffect;
import dev.sluice.platform.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/**
 * What a flow must have come to, judged from three witnesses that know nothing of each other: what clients were told, what the
 * database holds, and what took hold on the fleet. Uses none of the code that decides, stores or releases.
 *
 * @param lost acknowledged, and not in the database under the id that was told
 * @param duplicated stored more than once, or created more than once on the fleet
 * @param startedTwice pods let go while pods of the same workload lived, or more often than evictions explain, or after its end
 * @param leaked still charged though it ended
 * @param overQuota moments at which live pods held more than the cohort's quota
 * @param unfinished not ended well, or ended in the database and not on the fleet
 * @param brokenLog gaps in the positions or batches of the event log
 * @param leftCommands commands that were committed and never processed
 */
record FlowAudit(
        List<String> lost,
        List<String> duplicated,
        List<String> startedTwice,
        List<String> leaked,
        List<String> overQuota,
        List<String> unfinished,
        List<String> brokenLog,
        List<String> leftCommands) {

    static FlowAudit of(EmbeddedDatabase database, List<FleetEffect> effects, SortedMap<String, String> acknowledged) {
        FlowAudit audit = new FlowAudit(
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>());
        try (Connection connection =
                DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password())) {
            audit.readTables(connection, effects, acknowledged);
            audit.readLog(connection);
        } catch (SQLException unreadable) {
            throw new BenchFailed("the database cannot be audited", unreadable);
        }
        audit.readUsage(effects);
        return audit;
    }

    List<String> findings() {
        List<String> findings = new ArrayList<>();
        lost.forEach(each -> findings.add("lost: " + each));
        duplicated.forEach(each -> findings.add("duplicated: " + each));
        startedTwice.forEach(each -> findings.add("started twice: " + each));
        leaked.forEach(each -> findings.add("leaked: " + each));
        overQuota.forEach(each -> findings.add("over quota: " + each));
        unfinished.forEach(each -> findings.add("unfinished: " + each));
        brokenLog.forEach(each -> findings.add("broken log: " + each));
        leftCommands.forEach(each -> findings.add("left command: " + each));
        return findings;
    }

    private void readTables(Connection connection, List<FleetEffect> effects, SortedMap<String, String> acknowledged)
            throws SQLException {
        Map<String, List<FleetEffect>> effectsById = new HashMap<>();
        effects.forEach(effect -> effectsById
                .computeIfAbsent(effect.workload().value(), id -> new ArrayList<>())
                .add(effect));
        Map<String, String> idByName = new HashMap<>();
        Set<String> stored = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(
                        "select id, name, state, charged, (select count(*) from eviction e where e.victim_id = w.id), failure"
                                + " from workload w order by sequence");
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                String id = row.getString(1);
                String name = row.getString(2);
                stored.add(id);
                if (idByName.put(name, id) != null) {
                    duplicated.add(name + " has two rows");
                }
                if (row.getBoolean(4)) {
                    leaked.add(name);
                }
                if (!row.getString(3).equals("SUCCEEDED")) {
                    unfinished.add(name + " is " + row.getString(3) + ": " + row.getString(6));
                }
                readLife(name, effectsById.getOrDefault(id, List.of()), row.getInt(5));
            }
        }
        acknowledged.forEach((name, id) -> {
            if (!id.equals(idByName.get(name))) {
                lost.add(name + ", acknowledged as " + id);
            }
        });
        effectsById.keySet().stream()
                .filter(id -> !stored.contains(id))
                .forEach(id -> duplicated.add(id + " is on the fleet and not in the database"));
        try (PreparedStatement statement = connection.prepareStatement("select id, kind, workload_id from command");
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                leftCommands.add(row.getString(2) + " " + row.getLong(1) + " of " + row.getString(3));
            }
        }
    }

    /** One workload on the fleet: created once, never let go under live pods or after its end, ended once. */
    private void readLife(String name, List<FleetEffect> effects, int evictions) {
        int created = 0;
        int released = 0;
        int ended = 0;
        boolean live = false;
        for (FleetEffect effect : effects) {
            switch (effect.kind()) {
                case CREATED -> created++;
                case RELEASED -> {
                    if (live || ended > 0) {
                        startedTwice.add(name + " at " + effect.at());
                    }
                    live = true;
                    released++;
                }
                case GONE -> live = false;
                case SUCCEEDED, FAILED -> {
                    live = false;
                    ended++;
                }
                case READY, STOPPED, REFUSED, RELEASE_IGNORED, RELEASE_REJECTED, STOP_IGNORED -> {
                    // changes nothing of who holds devices
                }
            }
        }
        if (created > 1) {
            duplicated.add(name + " was created " + created + " times");
        }
        if (released > 1 + evictions) {
            startedTwice.add(name + " was let go " + released + " times, evicted " + evictions);
        }
        if (ended != 1 || live) {
            unfinished.add(name + " ended " + ended + " times on the fleet" + (live ? " and has live pods" : ""));
        }
    }

    private void readUsage(List<FleetEffect> effects) {
        long quota = 1000L * WorkloadFlow.QUEUE_CPU * WorkloadFlow.QUEUE_COUNT;
        Map<String, Long> held = new HashMap<>();
        long used = 0;
        for (FleetEffect effect : effects) {
            String id = effect.workload().value();
            switch (effect.kind()) {
                case RELEASED -> {
                    long cpu = effect.assignment() == null
                            ? 0
                            : effect.assignment().podSets().stream()
                                    .mapToLong(podSet -> podSet.usage().getOrDefault("cpu", 0L))
                                    .sum();
                    held.put(id, cpu);
                    used += cpu;
                    if (used > quota) {
                        overQuota.add(used + "m of " + quota + "m at " + effect.at());
                    }
                }
                case GONE, SUCCEEDED, FAILED -> {
                    Long cpu = held.remove(id);
                    used -= cpu == null ? 0 : cpu;
                }
                case CREATED, REFUSED, READY, STOPPED, RELEASE_IGNORED, RELEASE_REJECTED, STOP_IGNORED -> {
                    // holds what it held
                }
            }
        }
    }

    private void readLog(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement("select position, batch from event_log order by position");
                ResultSet row = statement.executeQuery()) {
            long position = 0;
            long batch = 0;
            while (row.next()) {
                if (row.getLong(1) != position + 1) {
                    brokenLog.add("position " + row.getLong(1) + " follows " + position);
                }
                if (row.getLong(2) < batch) {
                    brokenLog.add("batch " + row.getLong(2) + " follows " + batch);
                }
                position = row.getLong(1);
                batch = row.getLong(2);
            }
        }
    }
}
