package dev.sluice.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a flow under faults came to: waits for its end, stops the service, and lets the audit judge. */
record FlowResult(FlowAudit audit, int acknowledged, long retries, ReplayAudit replay) {
    private static final long PATIENCE_SECONDS = 180;

    static FlowResult of(FaultWorld world, WorkloadFlow flow, PrintStream progress) throws InterruptedException {
        flow.awaitAcknowledged(PATIENCE_SECONDS);
        progress.println("all " + flow.count() + " acknowledged; waiting for their end");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (world.rest().count("SUCCEEDED") < flow.count() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(200);
        }
        world.stopService();
        FlowAudit audit = FlowAudit.of(world.database(), world.fleet().fleet().effects(), flow.acknowledged());
        audit.findings().forEach(finding -> progress.println("  " + finding));
        ReplayAudit replay = ReplayAudit.of(world.database());
        replay.differences().forEach(difference -> progress.println("  replay: " + difference));
        return new FlowResult(audit, flow.acknowledgedCount(), flow.retries(), replay);
    }

    List<Row> rows(String name) {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.told(name + " acknowledged", acknowledged, ""));
        rows.add(Row.told(name + " submissions sent again", (double) retries, ""));
        rows.add(Row.atMost(name + " lost", audit.lost().size(), "", 0));
        rows.add(Row.atMost(name + " duplicated", audit.duplicated().size(), "", 0));
        rows.add(Row.atMost(name + " started twice", audit.startedTwice().size(), "", 0));
        rows.add(Row.atMost(name + " quota leaked", audit.leaked().size(), "", 0));
        rows.add(Row.atMost(name + " moments over quota", audit.overQuota().size(), "", 0));
        rows.add(Row.atMost(name + " unfinished", audit.unfinished().size(), "", 0));
        rows.add(Row.atMost(name + " gaps in the log", audit.brokenLog().size(), "", 0));
        rows.add(Row.atMost(name + " commands left", audit.leftCommands().size(), "", 0));
        rows.add(Row.told(name + " decisions replayed", (double) replay.decisions(), ""));
        rows.add(Row.atMost(name + " replay differences", replay.differences().size(), "", 0));
        return rows;
    }

    List<String> findings() {
        List<String> findings = new ArrayList<>(audit.findings());
        replay.differences().forEach(difference -> findings.add("replay: " + difference));
        return findings;
    }
}
