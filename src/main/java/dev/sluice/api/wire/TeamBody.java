package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.Team;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who owns queues and namespaces. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TeamBody(
        @Nullable String name,
        @Nullable String displayName,
        @Nullable List<String> namespaces) {
    @SuppressWarnings("NullAway") // elements of a list that was read from JSON may be null, whatever its type says
    public Team team(String key, Mistakes mistakes) {
        List<String> given = namespaces == null ? List.of() : namespaces;
        if (given.stream().anyMatch(namespace -> namespace == null)) {
            mistakes.add("namespaces", null, "must be a list of names");
            given = List.of();
        }
        return new Team(key, displayName == null ? "" : displayName, given);
    }

    public static TeamBody of(Team team) {
        return new TeamBody(team.name(), ClusterQueueBody.emptyIsNull(team.displayName()), team.namespaces());
    }
}
