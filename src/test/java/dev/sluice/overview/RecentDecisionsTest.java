package dev.sluice.overview;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.overview.RecentDecisions.Kind;
import dev.sluice.overview.RecentDecisions.Told;
import dev.sluice.overview.WorkloadReader.LoggedEvent;
import dev.sluice.quota.Configuration;
import dev.sluice.testkit.InMemoryReads;
import dev.sluice.testkit.InMemoryStore;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecentDecisionsTest {
    private static final Instant NOW = Instant.parse("2026-03-02T14:00:00Z");

    private final List<LoggedEvent> log = new ArrayList<>();

    @Test
    void a_wave_is_told_in_one_sentence() {
        for (int number = 1; number <= 10; number++) {
            add(NOW, "Admit", "sweep-" + number, Map.of("assignment", assignment("research", 2, number > 4)));
        }

        assertThat(latest())
                .containsExactly(new Told(
                        10,
                        NOW,
                        Kind.STARTS,
                        "10 workloads of research start on 20 GPUs in all, 6 of them borrowing from the cohort."));
    }

    @Test
    void a_later_one_or_one_of_another_queue_is_told_by_itself_latest_first() {
        add(NOW, "Admit", "sweep-1", Map.of("assignment", assignment("research", 2, false)));
        add(NOW, "Admit", "eval-1", Map.of("assignment", assignment("batch", 1, true)));
        add(NOW.plusSeconds(2), "Admit", "sweep-2", Map.of("assignment", assignment("research", 2, false)));

        assertThat(latest())
                .extracting(Told::sentence)
                .containsExactly(
                        "sweep-2 of research starts on 2 GPUs.",
                        "eval-1 of batch starts on 1 GPU, borrowing from the cohort.",
                        "sweep-1 of research starts on 2 GPUs.");
    }

    @Test
    void a_preemption_names_who_makes_room_and_by_which_right() {
        add(
                NOW,
                "Preempt",
                "chat-3",
                Map.of(
                        "assignment",
                        assignment("serving", 4, false),
                        "victims",
                        List.of(
                                Map.of("workload", "sweep-9", "reason", "InCohortReclamation"),
                                Map.of("workload", "sweep-8", "reason", "InCohortReclamation"))));

        assertThat(latest())
                .extracting(Told::sentence)
                .containsExactly(
                        "chat-3 of serving calls back what its queue had lent: sweep-9 and sweep-8 make room for"
                                + " its 4 GPUs.");
    }

    @Test
    void places_that_others_leave_already_are_told_together() {
        for (int number = 1; number <= 4; number++) {
            add(
                    NOW,
                    "Preempt",
                    "eval-" + number,
                    Map.of("assignment", assignment("batch", 2, true), "victims", List.of()));
        }

        assertThat(latest())
                .extracting(Told::sentence)
                .containsExactly("4 workloads of batch have 8 GPUs in all set aside, and start when those who leave are"
                        + " gone.");
    }

    @Test
    void those_that_do_not_end_are_told_together() {
        add(NOW, "Stuck", "eval-1", Map.of("clusterQueue", "batch", "since", "2026-03-02T13:45:00Z"));
        add(NOW, "Stuck", "eval-2", Map.of("clusterQueue", "batch", "since", "2026-03-02T13:45:00Z"));

        assertThat(latest())
                .extracting(Told::sentence)
                .containsExactly("eval-1 and eval-2 of batch were told to leave and do not end: look at their pods.");
    }

    @Test
    void ends_evictions_and_edits_are_told_and_inner_steps_are_not() {
        add(NOW, "WorkloadQueued", "a", Map.of());
        add(NOW, "Become", "a", Map.of("state", "RUNNING"));
        add(NOW, "PodsReady", "a", Map.of());
        add(NOW, "Evict", "a", Map.of("reason", "NodeFailures"));
        add(NOW, "Evict", "b", Map.of("reason", "Cancelled"));
        add(NOW, "Become", "b", Map.of("state", "CANCELLED"));
        add(NOW, "Become", "c", Map.of("state", "FAILED", "why", "exit code 137"));
        add(NOW, "Become", "d", Map.of("state", "SUCCEEDED"));
        add(NOW, "DropEarmark", "e", Map.of("why", "its priority changed"));
        add(NOW, "ConfigurationReplaced", null, Map.of("version", 7));

        assertThat(latest())
                .extracting(Told::sentence)
                .containsExactly(
                        "The configuration is now at version 7.",
                        "e gives up its place: its priority changed.",
                        "d finished.",
                        "c failed: exit code 137.",
                        "b was cancelled.",
                        "a must leave since a node failed under it.");
    }

    @Test
    void the_list_is_bounded() {
        for (int number = 0; number < 2000; number++) {
            add(NOW.plusSeconds(2L * number), "Become", "job-" + number, Map.of("state", "SUCCEEDED"));
        }

        assertThat(latest()).hasSize(9).first().extracting(Told::sentence).isEqualTo("job-1999 finished.");
    }

    private List<Told> latest() {
        return new RecentDecisions(reader(), new InMemoryReads(new InMemoryStore(() -> NOW)))
                .latest(Configuration.EMPTY, 9);
    }

    private EventLogReader reader() {
        return new EventLogReader() {
            @Override
            public List<LoggedEvent> after(long position, int limit) {
                return log.stream()
                        .filter(entry -> entry.position() > position)
                        .limit(limit)
                        .toList();
            }

            @Override
            public long end() {
                return log.size();
            }
        };
    }

    private void add(
            Instant at, String kind, @org.jspecify.annotations.Nullable String workload, Map<String, Object> body) {
        log.add(new LoggedEvent(log.size() + 1L, at, kind, workload == null ? null : new WorkloadId(workload), body));
    }

    private static Map<String, Object> assignment(String queue, int gpus, boolean borrows) {
        return Map.of(
                "clusterQueue",
                queue,
                "borrows",
                borrows,
                "podSets",
                List.of(Map.of("name", "main", "usage", Map.of("nvidia.com/gpu", gpus))));
    }
}
