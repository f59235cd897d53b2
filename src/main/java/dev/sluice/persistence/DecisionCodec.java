package dev.sluice.persistence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.admission.Decision;
import dev.sluice.admission.EvictionReason;
import dev.sluice.persistence.EntryCodec.Line;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Decisions as the log keeps them. */
final class DecisionCodec {
    private DecisionCodec() {}

    static Line encode(Decision decision) {
        ObjectNode body = StoredJson.object();
        return switch (decision) {
            case Decision.Admit admit ->
                starts("Admit", admit.workload(), admit.assignment(), admit.admissionSequence());
            case Decision.Reserve reserve ->
                starts("Reserve", reserve.workload(), reserve.assignment(), reserve.admissionSequence());
            case Decision.Unreserve unreserve ->
                new Line(
                        "Unreserve",
                        unreserve.workload(),
                        body.put("reason", unreserve.reason().code())
                                .put("state", unreserve.state().name()));
            case Decision.ChangeChecks change -> new Line("ChangeChecks", change.workload(), body);
            case Decision.Preempt preempt -> {
                body.set("assignment", StoredJson.MAPPER.valueToTree(preempt.assignment()));
                ArrayNode victims = body.putArray("victims");
                for (Decision.Victim victim : preempt.victims()) {
                    ObjectNode told = victims.addObject()
                            .put("workload", victim.workload().value())
                            .put("reason", victim.reason().code());
                    if (victim.cohort() != null) {
                        told.put("cohort", victim.cohort());
                    }
                }
                yield new Line("Preempt", preempt.workload(), body);
            }
            case Decision.ScheduleStop stop ->
                new Line(
                        "ScheduleStop",
                        stop.workload(),
                        body.put("at", stop.at() == null ? null : stop.at().toString()));
            case Decision.Stuck stuck ->
                new Line(
                        "Stuck",
                        stuck.workload(),
                        body.put("clusterQueue", stuck.clusterQueue())
                                .put("since", stuck.since().toString()));
            case Decision.DropEarmark drop -> new Line("DropEarmark", drop.workload(), body.put("why", drop.why()));
            case Decision.Evict evict ->
                new Line(
                        "Evict",
                        evict.workload(),
                        body.put("reason", evict.reason().code()));
            case Decision.Become become ->
                new Line(
                        "Become",
                        become.workload(),
                        body.put("state", become.state().name()).put("why", become.why()));
        };
    }

    /** It is charged for its assignment from now on. */
    private static Line starts(String kind, WorkloadId workload, Assignment assignment, long admissionSequence) {
        ObjectNode body = StoredJson.object().put("admissionSequence", admissionSequence);
        return new Line(kind, workload, body.set("assignment", StoredJson.MAPPER.valueToTree(assignment)));
    }

    private static Assignment assignment(JsonNode body) {
        return StoredJson.read(body.required("assignment"), Assignment.class);
    }

    static Decision decode(Line line) {
        WorkloadId workload = EntryCodec.about(line);
        JsonNode body = line.body();
        return switch (line.kind()) {
            case "Admit" ->
                new Decision.Admit(
                        workload,
                        assignment(body),
                        body.required("admissionSequence").longValue());
            case "Preempt" -> {
                List<Decision.Victim> victims = new ArrayList<>();
                for (JsonNode victim : body.required("victims")) {
                    victims.add(new Decision.Victim(
                            new WorkloadId(victim.required("workload").textValue()),
                            reason(victim.required("reason").textValue()),
                            EntryCodec.textOrNull(victim, "cohort")));
                }
                yield new Decision.Preempt(workload, assignment(body), victims);
            }
            case "Reserve" ->
                new Decision.Reserve(
                        workload,
                        assignment(body),
                        body.required("admissionSequence").longValue());
            case "Unreserve" ->
                new Decision.Unreserve(
                        workload,
                        reason(body.required("reason").textValue()),
                        WorkloadState.valueOf(body.required("state").textValue()));
            case "ChangeChecks" -> new Decision.ChangeChecks(workload);
            case "ScheduleStop" -> {
                String at = EntryCodec.textOrNull(body, "at");
                yield new Decision.ScheduleStop(workload, at == null ? null : Instant.parse(at));
            }
            case "Stuck" ->
                new Decision.Stuck(
                        workload,
                        body.required("clusterQueue").textValue(),
                        Instant.parse(body.required("since").textValue()));
            case "DropEarmark" ->
                new Decision.DropEarmark(workload, body.required("why").textValue());
            case "Evict" ->
                new Decision.Evict(workload, reason(body.required("reason").textValue()));
            case "Become" ->
                new Decision.Become(
                        workload,
                        WorkloadState.valueOf(body.required("state").textValue()),
                        EntryCodec.textOrNull(body, "why"));
            default -> throw new IllegalStateException("the log has an entry of unknown kind " + line.kind());
        };
    }

    private static EvictionReason reason(String code) {
        for (EvictionReason reason : EvictionReason.values()) {
            if (reason.code().equals(code)) {
                return reason;
            }
        }
        throw new IllegalStateException("unknown reason of an eviction " + code);
    }
}
