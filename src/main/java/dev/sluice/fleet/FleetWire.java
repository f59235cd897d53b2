package dev.sluice.fleet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.scheduling.Observation;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a fleet and its client say to each other, as JSON. Both are always of one build; nothing here is a public format. */
final class FleetWire {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private FleetWire() {}

    static byte[] write(Object message) {
        try {
            return MAPPER.writeValueAsBytes(message);
        } catch (JsonProcessingException unwritable) {
            throw new IllegalStateException("a message of the fleet cannot be written", unwritable);
        }
    }

    static <T> T read(byte[] text, Class<T> type) throws IOException {
        return MAPPER.readValue(text, type);
    }

    /**
     * Calls of one client in order.
     *
     * @param client names one life of one client
     * @param first number of the first call; the client numbers all its calls 1, 2, 3 …
     */
    record Calls(String client, long first, List<Call> calls) {}

    /**
     * @param job the workload's id
     * @param workload of a creation
     * @param assignment of a release
     */
    record Call(
            Kind kind,
            String job,
            long fence,
            @Nullable Workload workload,
            @Nullable Assignment assignment) {
        WorkloadId id() {
            return new WorkloadId(job);
        }
    }

    enum Kind {
        CREATE,
        RELEASE,
        STOP,
        ADVANCE_FENCE,
        LOOK_AT_START
    }

    record Applied(long last) {}

    /**
     * @param instance names one life of the fleet
     * @param complete whether nothing between the position asked for and {@code first} is missing
     * @param first position of the first of the observations
     */
    record Seen(String instance, boolean complete, long first, List<Sight> observations) {}

    record Jobs(List<ObservedJob> jobs) {}

    record Capacity(UsableCapacity capacity) {}

    record Effects(List<FleetEffect> effects) {}

    /** One observation; exactly one part is there. */
    record Sight(
            Observation.@Nullable Created created,
            Observation.@Nullable Ready ready,
            Observation.@Nullable Unready unready,
            Observation.@Nullable Reclaimable reclaimable,
            Observation.@Nullable Checkpointed checkpointed,
            Observation.@Nullable StartRejected startRejected,
            Observation.@Nullable Finished finished,
            Observation.@Nullable Deleted deleted,
            Observation.@Nullable Gone gone,
            Observation.@Nullable Refused refused,
            Observation.@Nullable Capacity capacity) {
        /** @throws IllegalArgumentException if no simulated fleet shows such a thing */
        static Sight of(Observation observation) {
            Sight sight = new Sight(
                    as(Observation.Created.class, observation),
                    as(Observation.Ready.class, observation),
                    as(Observation.Unready.class, observation),
                    as(Observation.Reclaimable.class, observation),
                    as(Observation.Checkpointed.class, observation),
                    as(Observation.StartRejected.class, observation),
                    as(Observation.Finished.class, observation),
                    as(Observation.Deleted.class, observation),
                    as(Observation.Gone.class, observation),
                    as(Observation.Refused.class, observation),
                    as(Observation.Capacity.class, observation));
            if (sight.part() == null) {
                throw new IllegalArgumentException(
                        "nobody scales jobs of a simulated fleet, and it has no namespaces: " + observation);
            }
            return sight;
        }

        private static <T extends Observation> @Nullable T as(Class<T> kind, Observation observation) {
            return kind.isInstance(observation) ? kind.cast(observation) : null;
        }

        Observation observation() {
            Observation part = part();
            if (part == null) {
                throw new IllegalStateException("an observation without content");
            }
            return part;
        }

        private @Nullable Observation part() {
            return Stream.<@Nullable Observation>of(
                            created,
                            ready,
                            unready,
                            reclaimable,
                            checkpointed,
                            startRejected,
                            finished,
                            deleted,
                            gone,
                            refused,
                            capacity)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }
    }
}
