package dev.sluice.api;

import dev.sluice.admission.Engine;
import dev.sluice.admission.WaitReason;
import dev.sluice.api.wire.WorkloadResponse;
import dev.sluice.api.wire.WorkloadResponse.WaitingResponse;
import dev.sluice.api.wire.WorkloadShape;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.ReasonText;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds to rows why they wait, as the engine last found it. */
@Singleton
class Reasons {
    private final EngineReader engines;

    Reasons(EngineReader engines) {
        this.engines = engines;
    }

    List<WorkloadResponse> shown(List<WorkloadRow> rows) {
        List<WorkloadRow> waiting = rows.stream().filter(Reasons::waits).toList();
        Map<WorkloadId, WaitingResponse> reasons =
                waiting.isEmpty() ? Map.of() : engines.ask((engine, now) -> reasons(engine, waiting));
        return rows.stream()
                .map(row -> WorkloadShape.of(row, reasons.get(row.workload().id())))
                .toList();
    }

    WorkloadResponse shown(WorkloadRow row) {
        return shown(List.of(row)).getFirst();
    }

    private static boolean waits(WorkloadRow row) {
        return !row.status().state().isFinal() && !row.status().charged();
    }

    private static Map<WorkloadId, WaitingResponse> reasons(Engine engine, List<WorkloadRow> rows) {
        ReasonText text = text(engine);
        Map<WorkloadId, WaitingResponse> reasons = new HashMap<>();
        for (WorkloadRow row : rows) {
            WorkloadId id = row.workload().id();
            engine.reason(id).ifPresent(reason -> {
                int position = engine.position(id);
                reasons.put(
                        id,
                        new WaitingResponse(
                                reason.code(),
                                position == 0 ? null : position,
                                text.sentence(reason, row.status().clusterQueue())));
            });
        }
        return reasons;
    }

    static ReasonText text(Engine engine) {
        return new ReasonText(engine.configuration(), engine.usage(), id -> name(engine, id));
    }

    private static @Nullable String name(Engine engine, WorkloadId id) {
        return engine.workload(id).map(Reasons::name).orElse(null);
    }

    private static String name(Workload workload) {
        return workload.namespace() + "/" + workload.name();
    }

    static String sentence(Engine engine, WaitReason reason, @Nullable String clusterQueue) {
        return text(engine).sentence(reason, clusterQueue);
    }
}
