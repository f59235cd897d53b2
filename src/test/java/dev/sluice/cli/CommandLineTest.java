package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLineTest {
    private static final String WAITING = """
            {"id": "w-2", "name": "train", "namespace": "research", "queue": "research", "clusterQueue": "research",
             "team": "research", "priority": 10, "state": "PENDING", "createdAt": "2026-01-01T00:00:00Z",
             "charge": {"nvidia.com/gpu": "2", "deviceclass/h100.gpu.example.com": "8"},
             "waiting": {"reason": "QUOTA_EXHAUSTED", "position": 1, "message": "needs 2 GPUs, 0 are free"}}""";
    private static final String RUNNING = WAITING.replace("PENDING", "RUNNING").replace("waiting", "unknown");
    private static final String QUEUES = """
            {"items": [
              {"name": "vision", "cohort": "all", "team": "research",
               "quotas": [{"flavor": "a", "resource": "cpu", "nominal": "1500m"},
                          {"flavor": "b", "resource": "cpu", "nominal": "2"},
                          {"flavor": "a", "deviceClass": "gpu.example.com", "nominal": "8"}],
               "status": {"usage": {"cpu": {"used": "3", "borrowed": "0", "lent": "500m", "pending": "1"},
                                    "deviceclass/gpu.example.com": {"used": "12", "borrowed": "4", "lent": "0", "pending": "40"}},
                          "pending": 7, "admitted": 3, "active": true}},
              {"name": "speech", "team": "research", "stopPolicy": "Hold",
               "quotas": [{"resource": "cpu", "nominal": "10"}, {"resource": "memory", "nominal": "64Gi"}]}],
             "next": null}""";

    @TempDir
    Path folder = Path.of("");

    private final RecordedService service;

    CommandLineTest() throws IOException {
        service = new RecordedService();
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private Told sluice(String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--server";
        all[arguments.length + 1] = service.url();
        return Told.by(all);
    }

    @Test
    void a_manifest_is_submitted_as_it_is() throws IOException {
        String manifest = "apiVersion: batch/v1\nkind: Job\n";
        Path file = Files.writeString(folder.resolve("job.yaml"), manifest);
        service.when("POST /api/v1/workloads", 201, WAITING);

        Told told = sluice("submit", file.toString(), "--token", "secret", "--idempotency-key", "k1");

        assertThat(told.exitCode()).isZero();
        assertThat(told.out().strip()).isEqualTo("research/train is PENDING: needs 2 GPUs, 0 are free  (id w-2)");
        assertThat(service.asked())
                .containsExactly(new RecordedService.Asked(
                        "POST", "/api/v1/workloads", "application/yaml", "Bearer secret", "k1", manifest));
    }

    @Test
    void waiting_for_a_workload_tells_each_state_and_ends_with_its_success() throws IOException {
        Path file = Files.writeString(folder.resolve("w.json"), "{\"name\": \"train\"}");
        service.when("POST /api/v1/workloads", 201, WAITING)
                .when("GET /api/v1/workloads/w-2", 200, RUNNING)
                .when("GET /api/v1/workloads/w-2", 200, RUNNING.replace("RUNNING", "SUCCEEDED"));

        Told told = sluice("submit", file.toString(), "--wait");

        assertThat(told.exitCode()).isZero();
        assertThat(told.err()).containsSubsequence("is RUNNING", "is SUCCEEDED");
        assertThat(service.asked().get(0).contentType()).isEqualTo("application/json");
    }

    @Test
    void waiting_for_a_workload_that_fails_exits_with_1() throws IOException {
        Path file = Files.writeString(folder.resolve("w.json"), "{\"name\": \"train\"}");
        service.when("POST /api/v1/workloads", 201, RUNNING.replace("RUNNING", "FAILED"));

        assertThat(sluice("submit", file.toString(), "--wait").exitCode()).isEqualTo(1);
    }

    @Test
    void a_batch_tells_what_was_refused() throws IOException {
        Path file = Files.writeString(folder.resolve("many.ndjson"), "{}\n{}\n");
        service.when("POST /api/v1/workloads:batch", 200, """
                [{"status": 201, "id": "w-1"},
                 {"status": 422, "detail": "The queue is unknown.", "violations": [
                    {"field": "queue", "value": "visoin", "rule": "must name a LocalQueue", "nearest": ["vision"]}]}]""");

        Told told = sluice("submit", file.toString());

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.out()).contains("1 submitted, 1 refused");
        assertThat(told.err())
                .contains("item 1: The queue is unknown.")
                .contains("queue: \"visoin\" must name a LocalQueue; did you mean vision?");
    }

    @Test
    void a_batch_that_is_only_tried_says_that_nothing_was_stored() throws IOException {
        Path file = Files.writeString(folder.resolve("many.ndjson"), "{}\n{}\n");
        service.when("POST /api/v1/workloads:batch?dryRun=true", 200, """
                [{"status": 200, "verdict": "ADMIT"}, {"status": 422, "detail": "No.", "violations": []}]""");

        Told told = sluice("submit", file.toString(), "--dry-run");

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.out()).contains("Nothing was stored. 1 would be taken, 1 refused");
    }

    @Test
    void a_problem_is_told_with_field_value_rule_and_way_out() throws IOException {
        Path file = Files.writeString(folder.resolve("w.json"), "{}");
        service.when("POST /api/v1/workloads", 422, """
                {"title": "Unknown queue", "status": 422, "detail": "No LocalQueue team-x in namespace team-a.",
                 "violations": [{"field": "podSets[0].count", "value": -1, "rule": "must be at least 1"}]}""");

        Told told = sluice("submit", file.toString());

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.err()).isEqualTo("""
                        sluice: Unknown queue (422): No LocalQueue team-x in namespace team-a.
                          podSets[0].count: -1 must be at least 1
                        """);
    }

    @Test
    void a_missing_token_names_the_way_to_give_one() {
        service.when("GET /api/v1/cluster-queues", 401, "{\"title\": \"Unauthorized\"}");

        Told told = sluice("quota");

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.err()).contains("Unauthorized (401)").contains("--token TOKEN, or SLUICE_TOKEN");
    }

    @Test
    void an_answer_that_is_no_problem_document_is_still_told() {
        service.when("GET /api/v1/cluster-queues", 502, "text/html", "<html>");

        assertThat(sluice("quota").err()).contains("the service answered 502 without saying why");
    }

    @Test
    void a_service_that_is_not_there_says_how_to_start_it() throws IOException {
        int unused;
        try (ServerSocket socket = new ServerSocket(0)) {
            unused = socket.getLocalPort();
        }

        Told told = Told.by("list", "--server", "http://127.0.0.1:" + unused);

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.err())
                .contains("nothing answers at")
                .contains("./sluice dev")
                .contains("--server URL");
    }

    @Test
    void an_address_that_cannot_be_one_is_wrong_use() {
        Told told = Told.by("list", "--server", "localhost");

        assertThat(told.exitCode()).isEqualTo(2);
        assertThat(told.err()).contains("must be an address such as http://127.0.0.1:8080");
    }

    @Test
    void a_list_follows_its_pages_and_says_why_each_waits() {
        service.when(
                        "GET /api/v1/workloads?team=research&state=PENDING&limit=100",
                        200,
                        "{\"items\": [" + WAITING
                                + "], \"next\": \"c 1\", \"counts\": {\"PENDING\": 12, \"RUNNING\": 0}}")
                .when(
                        "GET /api/v1/workloads?team=research&state=PENDING&limit=100&after=c%201",
                        200, "{\"items\": [" + WAITING.replace("train", "second") + "], \"next\": null}");

        Told told = sluice("list", "--team", "research", "--state", "pending");

        assertThat(told.exitCode()).isZero();
        assertThat(told.out())
                .contains("research/train", "research/second", "2 nvidia.com/gpu, 8 h100.gpu.example.com")
                .contains("needs 2 GPUs, 0 are free")
                .contains("12 pending")
                .doesNotContain("running");
    }

    @Test
    void json_is_the_answer_alone() {
        service.when("GET /api/v1/workloads?limit=100", 200, "{\"items\": [" + WAITING + "]}");

        Told told = sluice("list", "-o", "json");

        assertThat(told.out()).startsWith("{").contains("\"QUOTA_EXHAUSTED\"");
        assertThat(told.err()).isEmpty();
    }

    @Test
    void yaml_keeps_amounts_as_text() {
        service.when("GET /api/v1/workloads?limit=100", 200, "{\"items\": [" + WAITING + "]}");

        assertThat(sluice("list", "-o", "yaml").out()).contains("nvidia.com/gpu: \"2\"");
    }

    @Test
    void a_team_is_shown_over_all_of_its_queues_and_flavors() {
        service.when("GET /api/v1/cluster-queues", 200, QUEUES);

        assertThat(sluice("quota").out()).isEqualTo("""
                        TEAM      LINE             NOMINAL  USED  BORROWED  LENT  WAITING
                        research  cpu               13500m     3         0  500m        1
                        research  gpu.example.com        8    12         4     0       40
                        research  memory              64Gi     0         0     0        0
                        """);
    }

    @Test
    void queues_show_what_they_use_and_whether_they_are_stopped() {
        service.when("GET /api/v1/cluster-queues", 200, QUEUES);

        assertThat(sluice("queues").out())
                .contains("cpu 3/3500m, gpu.example.com 12/8 (4 borrowed)")
                .contains("active")
                .contains("stopped (Hold)");
    }

    @Test
    void a_named_queue_shows_who_waits_in_the_order_of_their_turn() {
        service.when("GET /api/v1/cluster-queues/vision/pending", 200, "{\"items\": [" + WAITING + "]}");

        assertThat(sluice("queues", "vision").out()).contains("1  research/train");
    }

    @Test
    void a_workload_may_be_named_by_namespace_and_name_and_the_live_one_goes_first() {
        service.when(
                        "GET /api/v1/workloads?namespace=research&name=train",
                        200,
                        "{\"items\": [" + WAITING.replace("w-2", "w-1").replace("PENDING", "SUCCEEDED") + "," + WAITING
                                + "]}")
                .when("DELETE /api/v1/workloads/w-2", 200, WAITING.replace("PENDING", "CANCELLED"));

        assertThat(sluice("cancel", "research/train").out()).contains("research/train: CANCELLED");
    }

    @Test
    void an_explanation_shows_the_numbers_and_what_would_help() {
        service.when("GET /api/v1/workloads/w-2/explanation", 200, """
                {"verdict": "WAIT", "summary": "Needs 8, 4 are available.", "position": 3,
                 "requirements": [{"key": "deviceclass/h100.gpu.example.com", "needed": "8", "flavors": [
                    {"flavor": "h100", "fit": "NO", "nominal": "16", "used": "12", "available": "4", "borrowable": "2",
                     "short": "2", "blockedBy": [{"workload": "w-9", "queue": "team-b", "amount": "4"},
                                                      {"workload": "w-7", "queue": "team-b", "amount": "2"}],
                     "preemption": {"possible": false, "why": "NO_CANDIDATES"}}]}],
                 "victims": [{"workload": "w-8", "reason": "InCohortReclamation"}], "ahead": ["w-0", "w-1"],
                 "wouldRunIf": [{"change": "priorityClass = serving", "wouldPreempt": ["w-7"]}]}""");

        Told told = sluice("explain", "w-2");

        assertThat(told.out())
                .startsWith("WAIT: Needs 8, 4 are available.")
                .contains("Position 3 in its queue.")
                .contains("Queue team-b holds 6 h100.gpu.example.com in 2 workloads.")
                .contains("in flavor h100: there is nobody whom it may preempt.")
                .contains("Preempts w-8 (InCohortReclamation).")
                .contains("Would run if priorityClass = serving, by preempting w-7");
    }

    @Test
    void several_files_are_applied_as_one_request() throws IOException {
        Path first = Files.writeString(folder.resolve("a.yaml"), "kind: Cohort");
        Path second = Files.writeString(folder.resolve("b.yaml"), "kind: ClusterQueue");
        service.when(
                "POST /api/v1/apply?dryRun=true",
                200,
                "{\"documents\": [{\"kind\": \"Cohort\", \"name\": \"all\", \"result\": \"CREATED\"}]}");

        Told told = sluice("apply", "-f", first.toString(), "-f", second.toString(), "--dry-run");

        assertThat(told.out()).contains("Cohort all: created").contains("Nothing was stored");
        assertThat(service.asked().get(0).body()).isEqualTo("kind: Cohort\n---\nkind: ClusterQueue");
    }

    @Test
    void an_export_is_passed_on_as_it_is() {
        service.when("GET /api/v1/export?as=kueue", 200, "application/yaml", "kind: ClusterQueue\n");

        assertThat(sluice("export", "--as", "kueue").out()).isEqualTo("kind: ClusterQueue\n");
    }

    @Test
    void events_are_told_line_by_line() {
        service.when(
                "GET /api/v1/events",
                200,
                "text/event-stream",
                ": hello\n\nid: 7\nevent: admitted\ndata: {\"position\": 7, \"at\": \"2026-01-01T00:00:00Z\",\ndata: \"kind\":"
                        + " \"admitted\", \"workload\": \"w-2\", \"body\": {\"priority\": 10, \"more\": []}}\n\n");

        assertThat(sluice("events", "--follow").out())
                .isEqualTo("2026-01-01T00:00:00Z  7  admitted  w-2  priority=10\n");
    }

    @Test
    void wrong_use_exits_with_2_and_points_to_the_help() {
        Told told = Told.by("list", "--colour");

        assertThat(told.exitCode()).isEqualTo(2);
        assertThat(told.err()).contains("Unknown option: '--colour'").contains("sluice help list");
    }

    @Test
    void a_missing_file_exits_with_2() {
        assertThat(sluice("submit", folder.resolve("none.yaml").toString()).exitCode())
                .isEqualTo(2);
    }

    @Test
    void completion_is_a_script_that_knows_the_commands() {
        assertThat(Told.by("completion").out())
                .contains("complete -F _complete_sluice")
                .contains("explain");
    }

    @Test
    void the_version_is_the_build_s() {
        assertThat(Told.by("version").out()).matches("(?s)sluice \\d+\\.\\d+\\.\\d+.* \\(Java .*\\)\\s+");
    }
}
