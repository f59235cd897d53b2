package dev.sluice.persistence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.admission.CheckStatus;
import dev.sluice.scheduling.Command;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.util.Optional;

/** Commands as the intake table keeps them. A submission has no body: its workload's rows say it. */
final class CommandCodec {
    static final String SUBMIT = "SUBMIT";
    static final String CANCEL = "CANCEL";
    private static final String CHANGE_PRIORITY_CLASS = "CHANGE_PRIORITY_CLASS";
    private static final String CHANGE_QUEUE = "CHANGE_QUEUE";
    private static final String CHANGE_CHECK = "CHANGE_CHECK";
    private static final String CHANGE_POD_SETS = "CHANGE_POD_SETS";
    private static final String CHANGE_ACTIVATION = "CHANGE_ACTIVATION";

    private CommandCodec() {}

    static String kind(Command command) {
        return switch (command) {
            case Command.Submit submit -> SUBMIT;
            case Command.Cancel cancel -> CANCEL;
            case Command.ChangePriorityClass change -> CHANGE_PRIORITY_CLASS;
            case Command.ChangeQueue change -> CHANGE_QUEUE;
            case Command.ChangeCheck change -> CHANGE_CHECK;
            case Command.ChangePodSets change -> CHANGE_POD_SETS;
            case Command.ChangeActivation change -> CHANGE_ACTIVATION;
            case Command.Unreadable unreadable ->
                throw new IllegalArgumentException("only read, never written: " + unreadable);
        };
    }

    static Optional<ObjectNode> body(Command command) {
        return switch (command) {
            case Command.Submit submit -> Optional.empty();
            case Command.Cancel cancel -> Optional.of(StoredJson.object());
            case Command.ChangePriorityClass change ->
                Optional.of(StoredJson.object().put("priorityClass", change.priorityClass()));
            case Command.ChangeQueue change -> Optional.of(StoredJson.object().put("localQueue", change.localQueue()));
            case Command.ChangeCheck change ->
                Optional.of(StoredJson.object()
                        .put("check", change.check())
                        .put("state", change.state().name())
                        .put("message", change.message())
                        .put(
                                "retryAfter",
                                change.retryAfter() == null
                                        ? null
                                        : change.retryAfter().toString())
                        .set("podSetUpdates", StoredJson.MAPPER.valueToTree(change.podSetUpdates())));
            case Command.ChangePodSets change ->
                Optional.of(StoredJson.object().set("podSets", StoredJson.MAPPER.valueToTree(change.podSets())));
            case Command.ChangeActivation change ->
                Optional.of(StoredJson.object().put("active", change.active()));
            case Command.Unreadable unreadable ->
                throw new IllegalArgumentException("only read, never written: " + unreadable);
        };
    }

    /** Any command but a submission. */
    static Command decode(String kind, WorkloadId workload, String body) {
        JsonNode fields = StoredJson.readObject(body);
        return switch (kind) {
            case CANCEL -> new Command.Cancel(workload);
            case CHANGE_PRIORITY_CLASS ->
                new Command.ChangePriorityClass(
                        workload, fields.path("priorityClass").textValue());
            case CHANGE_QUEUE ->
                new Command.ChangeQueue(workload, fields.required("localQueue").textValue());
            case CHANGE_CHECK -> {
                String after = fields.path("retryAfter").textValue();
                yield new Command.ChangeCheck(
                        workload,
                        fields.required("check").textValue(),
                        CheckStatus.State.valueOf(fields.required("state").textValue()),
                        fields.required("message").textValue(),
                        after == null ? null : Duration.parse(after),
                        WorkloadRows.podSetUpdates(fields.path("podSetUpdates")));
            }
            case CHANGE_POD_SETS ->
                new Command.ChangePodSets(workload, WorkloadRows.podSets(fields.required("podSets")));
            case CHANGE_ACTIVATION ->
                new Command.ChangeActivation(workload, fields.required("active").booleanValue());
            default -> throw new IllegalStateException("the intake table has a command of unknown kind " + kind);
        };
    }
}
