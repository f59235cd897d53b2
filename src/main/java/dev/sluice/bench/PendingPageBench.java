package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** How long a page of waiting workloads, one explanation and one submission take while a great many wait. */
public final class PendingPageBench implements Benchmark {
    private static final double P95_MILLIS_MAX = 50;
    private static final int WARM_UPS = 50;
    private static final int PAGE_SIZE = 100;

    private final int waiting;
    private final int questions;

    public PendingPageBench(int waiting, int questions) {
        this.waiting = waiting;
        this.questions = questions;
    }

    @Override
    public Report run(PrintStream progress) throws InterruptedException {
        try (Backlog backlog = new Backlog()) {
            backlog.fill(waiting, progress);
            RestClient rest = backlog.rest();
            List<String> ids = new ArrayList<>();
            String first = "/api/v1/cluster-queues/" + Backlog.FULL_QUEUE + "/pending?limit=" + PAGE_SIZE;
            Distribution pages = new Distribution();
            String path = first;
            for (int question = 0; question < WARM_UPS + questions; question++) {
                long start = System.nanoTime();
                JsonNode page = rest.get(path);
                add(pages, question, start);
                page.path("items").forEach(item -> ids.add(item.path("id").asText()));
                path = page.path("next").isTextual()
                        ? first + "&after=" + page.path("next").asText()
                        : first;
            }
            Distribution explanations = new Distribution();
            Random random = new Random(1);
            for (int question = 0; question < WARM_UPS + questions; question++) {
                String id = ids.get(random.nextInt(ids.size()));
                long start = System.nanoTime();
                rest.get("/api/v1/workloads/" + id + "/explanation");
                add(explanations, question, start);
            }
            Distribution submissions = new Distribution();
            for (int question = 0; question < WARM_UPS + questions; question++) {
                long start = System.nanoTime();
                backlog.submit("lone-" + question, Backlog.FREE_QUEUE, 1, 1, "PT0.001S");
                add(submissions, question, start);
            }
            return report(pages, explanations, submissions);
        }
    }

    private static void add(Distribution distribution, int question, long start) {
        if (question >= WARM_UPS) {
            distribution.add((System.nanoTime() - start) / 1e6);
        }
    }

    private Report report(Distribution pages, Distribution explanations, Distribution submissions) {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.atMost("page of pending workloads p95", pages.percentile(0.95), "ms", P95_MILLIS_MAX));
        rows.add(Row.told("page of pending workloads p50", pages.percentile(0.5), "ms"));
        rows.add(Row.atMost("explanation p95", explanations.percentile(0.95), "ms", P95_MILLIS_MAX));
        rows.add(Row.told("explanation p50", explanations.percentile(0.5), "ms"));
        rows.addAll(submissions.rows("submission beside the backlog", "ms"));
        return new Report("pending-page", new TreeMap<>(Map.of("waiting", waiting, "questions", questions)), rows);
    }
}
