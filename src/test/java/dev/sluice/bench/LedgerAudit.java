package dev.sluice.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.fleet.FleetEffect;
import dev.sluice.fleet.FleetEffect.Kind;
import dev.sluice.platform.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Adds up the committed log by hand, admissions against ends, and holds it against what was released on the cluster. Uses none of the
 * code that decides, stores or releases.
 */
final class LedgerAudit {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<String> findings = new ArrayList<>();
    private final Map<String, Held> held = new HashMap<>();
    private final Map<String, Integer> admissions = new HashMap<>();
    private final long quota;

    /** @param done pods that hold nothing any more */
    private record Held(long perPod, int pods, int done) {
        long cpu() {
            return perPod * (pods - done);
        }
    }

    private LedgerAudit(long quota) {
        this.quota = quota;
    }

    /**
     * @param effects what took hold on the cluster
     * @param quota of all queues together, in thousandths of a core
     * @return empty = all is well
     */
    static List<String> findings(EmbeddedDatabase database, List<FleetEffect> effects, long quota) {
        LedgerAudit audit = new LedgerAudit(quota);
        try (Connection connection =
                        DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password());
                PreparedStatement statement = connection.prepareStatement(
                        "select position, kind, workload_id, body from event_log where workload_id is not null"
                                + " order by position");
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                audit.read(row.getLong(1), row.getString(2), row.getString(3), JSON.readTree(row.getString(4)));
            }
        } catch (SQLException | JsonProcessingException unreadable) {
            throw new BenchFailed("the log cannot be audited", unreadable);
        }
        audit.held.forEach((workload, left) -> audit.findings.add(workload + " still holds " + left.cpu() + "m"));
        audit.compare(effects);
        return audit.findings;
    }

    private void read(long position, String kind, String workload, JsonNode body) {
        switch (kind) {
            case "Admit" -> {
                admissions.merge(workload, 1, Integer::sum);
                JsonNode pods = body.path("assignment").path("podSets").path(0);
                int count = pods.path("count").asInt();
                if (held.put(workload, new Held(pods.path("usage").path("cpu").asLong() / count, count, 0)) != null) {
                    findings.add(workload + " was admitted at " + position + " while it held quota");
                }
                long sum = held.values().stream().mapToLong(Held::cpu).sum();
                if (sum > quota) {
                    findings.add("admitted workloads held " + sum + "m of " + quota + "m at " + position);
                }
            }
            case "PodsReclaimable" ->
                held.computeIfPresent(
                        workload,
                        (id, before) -> new Held(
                                before.perPod(),
                                before.pods(),
                                body.path("reclaimable").path("main").asInt()));
            case "PodsGone", "WorkloadFinished", "WorkloadRefused" -> held.remove(workload);
            default -> {
                // Changes nothing of who holds quota.
            }
        }
    }

    private void compare(List<FleetEffect> effects) {
        Map<String, Integer> releases = new HashMap<>();
        effects.stream()
                .filter(effect -> effect.kind() == Kind.RELEASED)
                .forEach(effect -> releases.merge(effect.workload().value(), 1, Integer::sum));
        releases.forEach((workload, count) -> {
            int admitted = admissions.getOrDefault(workload, 0);
            if (count > admitted) {
                findings.add(workload + " was released " + count + " times, admitted " + admitted);
            }
        });
    }
}
