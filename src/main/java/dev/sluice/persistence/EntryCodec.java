package dev.sluice.persistence;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.CheckStatus;
import dev.sluice.admission.EngineEvent;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Batch.Entry;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Log entries as the store keeps them: a kind, the workload it is about, and a body. What other rows keep already is named, not
 * repeated: a queued workload by its id, a configuration by its version.
 */
final class EntryCodec {
    private static final TypeReference<SortedMap<String, SortedMap<String, String>>> NAMESPACES =
            new TypeReference<>() {};

    private EntryCodec() {}

    /** @param workload null = about none */
    record Line(String kind, @Nullable WorkloadId workload, ObjectNode body) {}

    /** An event that names neither a workload nor a configuration. */
    static EngineEvent surroundings(String kind, ObjectNode body) {
        Entry entry = decode(1, new Line(kind, null, body), Resolver.NONE);
        if (entry instanceof Entry.Input input) {
            return input.event();
        }
        throw new IllegalArgumentException(kind + " is no event");
    }

    /** Gives back what an entry only names. */
    interface Resolver {
        Resolver NONE = new Resolver() {
            @Override
            public Workload workload(WorkloadId id) {
                throw new IllegalStateException("nobody looks up workload " + id);
            }

            @Override
            public Configuration configuration(long version) {
                throw new IllegalStateException("nobody looks up configuration " + version);
            }
        };

        Workload workload(WorkloadId id);

        Configuration configuration(long version);
    }

    static Line encode(Entry entry) {
        return switch (entry) {
            case Entry.Input input -> encode(input.event());
            case Entry.Decided decided -> DecisionCodec.encode(decided.decision());
        };
    }

    private static Line encode(EngineEvent event) {
        ObjectNode body = StoredJson.object();
        return switch (event) {
            case EngineEvent.ConfigurationReplaced replaced ->
                new Line(
                        "ConfigurationReplaced",
                        null,
                        body.put("version", replaced.configuration().version()));
            case EngineEvent.CapacityChanged changed ->
                new Line(
                        "CapacityChanged",
                        null,
                        body.set("capacity", StoredJson.MAPPER.valueToTree(changed.capacity())));
            case EngineEvent.NamespacesChanged changed ->
                new Line(
                        "NamespacesChanged", null, body.set("labels", StoredJson.MAPPER.valueToTree(changed.labels())));
            case EngineEvent.WorkloadQueued queued ->
                new Line(
                        "WorkloadQueued",
                        queued.workload().id(),
                        body.put("queuedAt", queued.queuedAt().toString()));
            case EngineEvent.WorkloadRestored restored ->
                throw new IllegalArgumentException("a restored workload is not news and is not logged: "
                        + restored.workload().id());
            case EngineEvent.UsageRestored restored ->
                throw new IllegalArgumentException("a restored usage is not news and is not logged: "
                        + restored.usage().localQueue());
            case EngineEvent.EngineRestarted restarted ->
                new Line(
                        "EngineRestarted",
                        null,
                        body.set("settings", StoredJson.MAPPER.valueToTree(restarted.settings())));
            case EngineEvent.MaxDurationExceeded exceeded -> new Line("MaxDurationExceeded", exceeded.workload(), body);
            case EngineEvent.PodsReady ready -> new Line("PodsReady", ready.workload(), body);
            case EngineEvent.PodsNotReady unready -> new Line("PodsNotReady", unready.workload(), body);
            case EngineEvent.PodsReclaimable done ->
                new Line(
                        "PodsReclaimable",
                        done.workload(),
                        body.set("reclaimable", StoredJson.MAPPER.valueToTree(done.reclaimable())));
            case EngineEvent.CheckChanged changed ->
                new Line(
                        "CheckChanged",
                        changed.workload(),
                        body.put("check", changed.check())
                                .put("state", changed.state().name())
                                .put("message", changed.message())
                                .put(
                                        "retryAfter",
                                        changed.retryAfter() == null
                                                ? null
                                                : changed.retryAfter().toString())
                                .set("podSetUpdates", StoredJson.MAPPER.valueToTree(changed.podSetUpdates())));
            case EngineEvent.CheckpointReached reached ->
                new Line(
                        "CheckpointReached",
                        reached.workload(),
                        reached.at() == null
                                ? body
                                : body.put("at", reached.at().toString()));
            case EngineEvent.StartRejected rejected ->
                new Line("StartRejected", rejected.workload(), body.put("reason", rejected.reason()));
            case EngineEvent.WorkloadFinished finished ->
                new Line("WorkloadFinished", finished.workload(), body.put("succeeded", finished.succeeded()));
            case EngineEvent.PodsGone gone -> new Line("PodsGone", gone.workload(), body);
            case EngineEvent.WorkloadRefused refused ->
                new Line("WorkloadRefused", refused.workload(), body.put("reason", refused.reason()));
            case EngineEvent.CancelRequested cancel -> new Line("CancelRequested", cancel.workload(), body);
            case EngineEvent.PriorityChanged changed ->
                new Line(
                        "PriorityChanged",
                        changed.workload(),
                        body.put("priorityClass", changed.priorityClass()).put("priority", changed.priority()));
            case EngineEvent.QueueChanged changed ->
                new Line("QueueChanged", changed.workload(), body.put("localQueue", changed.localQueue()));
            case EngineEvent.PodSetsChanged changed ->
                new Line(
                        "PodSetsChanged",
                        changed.workload(),
                        body.set("podSets", StoredJson.MAPPER.valueToTree(changed.podSets())));
            case EngineEvent.PodsScaledDown scaled ->
                new Line(
                        "PodsScaledDown",
                        scaled.workload(),
                        body.set("counts", StoredJson.MAPPER.valueToTree(scaled.counts())));
            case EngineEvent.ActivationChanged changed ->
                new Line("ActivationChanged", changed.workload(), body.put("active", changed.active()));
        };
    }

    static Entry decode(long position, Line line, Resolver resolver) {
        JsonNode body = line.body();
        return switch (line.kind()) {
            case "ConfigurationReplaced" ->
                input(
                        position,
                        new EngineEvent.ConfigurationReplaced(
                                resolver.configuration(body.required("version").longValue())));
            case "CapacityChanged" ->
                input(
                        position,
                        new EngineEvent.CapacityChanged(
                                StoredJson.read(body.required("capacity"), UsableCapacity.class)));
            case "NamespacesChanged" ->
                input(
                        position,
                        new EngineEvent.NamespacesChanged(
                                StoredJson.MAPPER.convertValue(body.required("labels"), NAMESPACES)));
            case "WorkloadQueued" ->
                input(
                        position,
                        new EngineEvent.WorkloadQueued(
                                resolver.workload(about(line)),
                                Instant.parse(body.required("queuedAt").textValue())));
            case "EngineRestarted" ->
                input(
                        position,
                        new EngineEvent.EngineRestarted(
                                StoredJson.read(body.required("settings"), AdmissionSettings.class)));
            case "MaxDurationExceeded" -> input(position, new EngineEvent.MaxDurationExceeded(about(line)));
            case "PodsReady" -> input(position, new EngineEvent.PodsReady(about(line)));
            case "PodsNotReady" -> input(position, new EngineEvent.PodsNotReady(about(line)));
            case "PodsReclaimable" ->
                input(position, new EngineEvent.PodsReclaimable(about(line), counts(body.required("reclaimable"))));
            case "CheckChanged" -> {
                String after = textOrNull(body, "retryAfter");
                yield input(
                        position,
                        new EngineEvent.CheckChanged(
                                about(line),
                                body.required("check").textValue(),
                                CheckStatus.State.valueOf(body.required("state").textValue()),
                                body.required("message").textValue(),
                                after == null ? null : Duration.parse(after),
                                WorkloadRows.podSetUpdates(body.path("podSetUpdates"))));
            }
            case "CheckpointReached" -> {
                String at = textOrNull(body, "at");
                yield input(
                        position,
                        new EngineEvent.CheckpointReached(about(line), at == null ? null : Instant.parse(at)));
            }
            case "StartRejected" ->
                input(
                        position,
                        new EngineEvent.StartRejected(
                                about(line), body.required("reason").textValue()));
            case "WorkloadFinished" ->
                input(
                        position,
                        new EngineEvent.WorkloadFinished(
                                about(line), body.required("succeeded").booleanValue()));
            case "PodsGone" -> input(position, new EngineEvent.PodsGone(about(line)));
            case "WorkloadRefused" ->
                input(
                        position,
                        new EngineEvent.WorkloadRefused(
                                about(line), body.required("reason").textValue()));
            case "CancelRequested" -> input(position, new EngineEvent.CancelRequested(about(line)));
            case "PriorityChanged" ->
                input(
                        position,
                        new EngineEvent.PriorityChanged(
                                about(line),
                                textOrNull(body, "priorityClass"),
                                body.required("priority").intValue()));
            case "QueueChanged" ->
                input(
                        position,
                        new EngineEvent.QueueChanged(
                                about(line), body.required("localQueue").textValue()));
            case "PodSetsChanged" ->
                input(
                        position,
                        new EngineEvent.PodSetsChanged(about(line), WorkloadRows.podSets(body.required("podSets"))));
            case "PodsScaledDown" ->
                input(position, new EngineEvent.PodsScaledDown(about(line), counts(body.required("counts"))));
            case "ActivationChanged" ->
                input(
                        position,
                        new EngineEvent.ActivationChanged(
                                about(line), body.required("active").booleanValue()));
            default -> new Entry.Decided(position, DecisionCodec.decode(line));
        };
    }

    private static SortedMap<String, Integer> counts(JsonNode object) {
        SortedMap<String, Integer> counts = new TreeMap<>();
        object.properties()
                .forEach(field -> counts.put(field.getKey(), field.getValue().intValue()));
        return counts;
    }

    private static Entry input(long position, EngineEvent event) {
        return new Entry.Input(position, event);
    }

    static WorkloadId about(Line line) {
        if (line.workload() == null) {
            throw new IllegalStateException("log entry " + line + " names no workload");
        }
        return line.workload();
    }

    static @Nullable String textOrNull(JsonNode body, String field) {
        JsonNode value = body.path(field);
        return value.isTextual() ? value.textValue() : null;
    }
}
