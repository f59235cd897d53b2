package dev.sluice.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.LocalQueueUsage;
import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.QuotaUsage.FairShares;
import dev.sluice.api.ConfigurationEdits.ChangeEffect;
import dev.sluice.api.ConfigurationEdits.Outcome;
import dev.sluice.api.wire.ClusterQueueBody;
import dev.sluice.api.wire.ClusterQueueBody.QueueStatus;
import dev.sluice.api.wire.CohortBody;
import dev.sluice.api.wire.ConfigurationDifference;
import dev.sluice.api.wire.ConfigurationPreview;
import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.LocalQueueBody;
import dev.sluice.api.wire.LocalQueueStatus;
import dev.sluice.api.wire.NativeDocuments;
import dev.sluice.api.wire.PageResponse;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.QueueStatusShape;
import dev.sluice.api.wire.Rejection;
import dev.sluice.overview.EngineReader;
import dev.sluice.quota.AdmissionMode;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.NearestNames;
import dev.sluice.quota.Share;
import dev.sluice.quota.Violation;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.scheduling.ConfigurationStore.ObjectVersion;
import dev.sluice.scheduling.ConfigurationStore.Stored;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Answers every question and every change of a configuration object, whatever its kind. */
@Singleton
class ConfigurationDesk {
    /** Of what has no status, or whose status is not shown. */
    private static final Standing NOT_ASKED = new Standing(new QuotaUsage(new TreeMap<>()), Map.of());

    private final CurrentConfiguration current;
    private final ConfigurationEdits edits;
    private final Previews previews;
    private final EngineReader engines;

    ConfigurationDesk(CurrentConfiguration current, ConfigurationEdits edits, Previews previews, EngineReader engines) {
        this.current = current;
        this.edits = edits;
        this.previews = previews;
        this.engines = engines;
    }

    /** What a client said of how it changes an object. */
    record Wish(
            @Nullable String ifMatch,
            @Nullable String ifNoneMatch,
            boolean dryRun,
            @Nullable String contentType,
            String caller) {}

    /**
     * How objects stand now.
     *
     * @param localQueues what those used of late whose ClusterQueue goes by that
     */
    private record Standing(QuotaUsage usage, Map<String, LocalQueueUsage> localQueues) {}

    Response list(ConfigurationKind kind, @Nullable String namespace, int limit, @Nullable String after) {
        Configuration configuration = current.fresh().configuration();
        Standing standing = standingOf(kind, configuration);
        List<Object> items = new ArrayList<>();
        String last = null;
        for (String key : ConfigurationKeys.all(configuration, kind).keySet()) {
            boolean wanted = (after == null || key.compareTo(after) > 0)
                    && (namespace == null || key.startsWith(LocalQueue.key(namespace, "")));
            if (!wanted) {
                continue;
            }
            if (items.size() == limit) {
                return Response.ok(new PageResponse<>(items, last)).build();
            }
            items.add(shown(kind, key, configuration, standing));
            last = key;
        }
        return Response.ok(new PageResponse<>(items, null)).build();
    }

    Response get(ConfigurationKind kind, String key) {
        Stored stored = current.fresh();
        ObjectVersion version = stored.version(kind, key);
        if (version == null) {
            throw missing(kind, key, stored.configuration());
        }
        Standing standing = standingOf(kind, stored.configuration());
        return Response.ok(shown(kind, key, stored.configuration(), standing))
                .header(HttpHeaders.ETAG, ConfigurationEdits.tag(version))
                .build();
    }

    Response put(ConfigurationKind kind, String key, byte @Nullable [] body, Wish wish) {
        byte[] given = Bodies.checked(body, Bodies.SINGLE_BYTES_MAX);
        JsonNode tree = Bodies.document(given, wish.contentType());
        ConfigurationChange change = NativeDocuments.read(kind, key, tree);
        Outcome outcome = edits.apply(
                List.of(change),
                wish.caller(),
                wish.dryRun(),
                stored -> Preconditions.check(stored, kind, key, wish.ifMatch(), wish.ifNoneMatch()),
                violation -> located(violation, kind, key, tree));
        ChangeEffect effect = outcome.effect(change);
        List<FieldViolation> warnings = outcome.warnings().stream()
                .filter(warning -> warning.object().equals(kind.path() + "/" + key))
                .map(warning -> located(warning, kind, key, tree))
                .toList();
        if (wish.dryRun()) {
            return preview(kind, key, outcome, effect, warnings);
        }
        Response.ResponseBuilder answer = Response.status(effect == ChangeEffect.CREATED ? 201 : 200)
                .entity(shown(kind, key, outcome.after().configuration(), NOT_ASKED));
        ObjectVersion version = outcome.after().version(kind, key);
        if (version != null) {
            answer.header(HttpHeaders.ETAG, ConfigurationEdits.tag(version));
        }
        warnings.forEach(warning -> answer.header("Sluice-Warning", ascii(warning.field() + " " + warning.rule())));
        return answer.build();
    }

    Response delete(ConfigurationKind kind, String key, Wish wish) {
        ConfigurationChange change = new ConfigurationChange.Delete(kind, key);
        Outcome outcome = edits.apply(
                List.of(change),
                wish.caller(),
                wish.dryRun(),
                stored -> {
                    if (stored.version(kind, key) == null) {
                        throw missing(kind, key, stored.configuration());
                    }
                    Preconditions.check(stored, kind, key, wish.ifMatch(), wish.ifNoneMatch());
                },
                violation -> new FieldViolation(
                        violation.field(), violation.value(), violation.rule(), violation.nearest()));
        return wish.dryRun()
                ? preview(kind, key, outcome, outcome.effect(change), List.of())
                : Response.noContent().build();
    }

    private Response preview(
            ConfigurationKind kind, String key, Outcome outcome, ChangeEffect effect, List<FieldViolation> warnings) {
        Configuration after = outcome.after().configuration();
        Previews.Preview preview = previews.of(after);
        return Response.ok(new ConfigurationPreview(
                        effect.name().toLowerCase(Locale.ROOT),
                        ConfigurationDifference.between(
                                NativeDocuments.write(kind, key, outcome.before()),
                                NativeDocuments.write(kind, key, after)),
                        warnings,
                        preview.decisions(),
                        preview.decisionCount(),
                        preview.overcommitted(),
                        preview.neverAdmitted()))
                .build();
    }

    /** A rule may be broken at another object than the one that was sent; then its name is told, too. */
    private static FieldViolation located(Violation violation, ConfigurationKind kind, String key, JsonNode tree) {
        FieldViolation located = NativeDocuments.located(violation, tree);
        return violation.object().equals(kind.path() + "/" + key) ? located : located.within(violation.object() + ": ");
    }

    private Standing standingOf(ConfigurationKind kind, Configuration configuration) {
        return switch (kind) {
            case CLUSTER_QUEUE, COHORT -> new Standing(engines.ask((engine, now) -> engine.usage()), Map.of());
            case LOCAL_QUEUE -> {
                List<String> byUsage = configuration.localQueues().values().stream()
                        .filter(one -> goesByUsage(configuration.clusterQueues().get(one.clusterQueue())))
                        .map(LocalQueue::key)
                        .toList();
                Map<String, LocalQueueUsage> used = new HashMap<>();
                if (!byUsage.isEmpty()) {
                    engines.ask((engine, now) ->
                                    byUsage.stream().map(engine::usageOf).toList())
                            .forEach(usage -> used.put(usage.localQueue(), usage));
                }
                yield new Standing(NOT_ASKED.usage(), used);
            }
            default -> NOT_ASKED;
        };
    }

    private static boolean goesByUsage(@Nullable ClusterQueue queue) {
        return queue != null && queue.admissionMode() == AdmissionMode.USAGE_BASED;
    }

    private static Object shown(ConfigurationKind kind, String key, Configuration configuration, Standing standing) {
        QuotaUsage usage = standing.usage();
        FairShares shares = usage.fairShares();
        ClusterQueue queue = configuration.clusterQueues().get(key);
        if (kind == ConfigurationKind.CLUSTER_QUEUE && queue != null) {
            QuotaUsage.Queue used = usage.queues().get(key);
            Share share = shares == null ? null : shares.queues().get(key);
            return ClusterQueueBody.of(queue, used == null ? null : QueueStatusShape.of(used, share));
        }
        Cohort cohort = configuration.cohorts().get(key);
        if (kind == ConfigurationKind.COHORT && cohort != null) {
            return CohortBody.of(
                    cohort, shares == null ? null : shares.cohorts().get(key));
        }
        LocalQueue door = configuration.localQueues().get(key);
        LocalQueueUsage used = standing.localQueues().get(key);
        if (kind == ConfigurationKind.LOCAL_QUEUE && door != null && used != null) {
            return LocalQueueBody.of(door, LocalQueueStatus.of(used));
        }
        Object spec = NativeDocuments.write(kind, key, configuration);
        if (spec == null) {
            throw missing(kind, key, configuration);
        }
        return spec;
    }

    Map<String, QueueStatus> statuses() {
        Map<String, QueueStatus> statuses = new TreeMap<>();
        QuotaUsage usage = engines.ask((engine, now) -> engine.usage());
        FairShares shares = usage.fairShares();
        usage.queues()
                .forEach((name, queue) -> statuses.put(
                        name,
                        QueueStatusShape.of(
                                queue, shares == null ? null : shares.queues().get(name))));
        return statuses;
    }

    static Rejection missing(ConfigurationKind kind, String key, Configuration configuration) {
        List<String> nearest =
                NearestNames.of(key, ConfigurationKeys.all(configuration, kind).keySet());
        return new Rejection(
                ProblemKind.NOT_FOUND,
                "There is no " + key + " among the " + kind.path() + ".",
                List.of(new FieldViolation("name", key, "must name one of the " + kind.path(), nearest)));
    }

    private static String ascii(String text) {
        return text.replaceAll("[^ -~]", "?");
    }
}
