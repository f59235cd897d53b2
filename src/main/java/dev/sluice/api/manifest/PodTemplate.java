package dev.sluice.api.manifest;

import dev.sluice.api.wire.Mistakes;
import dev.sluice.api.wire.NativeWorkload;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.WorkloadDraft.PodSetDraft;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.Toleration;
import dev.sluice.quota.TolerationRules;
import dev.sluice.scheduling.PodRules;
import dev.sluice.workload.EffectiveRequest;
import dev.sluice.workload.LimitCheck;
import dev.sluice.workload.LimitRange;
import dev.sluice.workload.PodResources;
import dev.sluice.workload.PodResources.Container;
import dev.sluice.workload.PodResources.Demand;
import dev.sluice.workload.PodSet.AffinityTerm;
import dev.sluice.workload.PodSet.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads what matters for quota and flavors from a pod template: resources, node selector, required affinity, tolerations. */
final class PodTemplate {
    private static final Set<String> OPERATORS = Set.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt");

    private final Field template;
    private final Field spec;
    private final Mistakes mistakes;
    private final PodRules rules;

    PodTemplate(Field template, Mistakes mistakes, PodRules rules) {
        this.template = template;
        this.spec = template.get("spec");
        this.mistakes = mistakes;
        this.rules = rules;
    }

    /** @param namespace in which the pods will run */
    PodSetDraft podSet(String name, String namespace, int count, @Nullable Integer minCount) {
        Field labels = template.get("metadata").get("labels");
        NativeWorkload.labels(labels.path() + ".", labels.textMap(), mistakes);
        template.get("metadata").get("annotations").textMap();
        if (!spec.get("resourceClaims").isMissing()) {
            mistakes.add(
                    ProblemKind.UNSUPPORTED_FIELD,
                    spec.get("resourceClaims").path(),
                    null,
                    "is not counted yet: ask for devices by an extended resource, or natively by deviceRequests",
                    List.of());
        }
        PodResources resources = inNamespace(namespace, resources());
        Field selector = spec.get("nodeSelector");
        return new PodSetDraft(
                name,
                count,
                minCount,
                EffectiveRequest.of(resources),
                NativeWorkload.labels(selector.path() + ".", selector.textMap(), mistakes),
                affinityTerms(),
                tolerations());
    }

    private PodResources resources() {
        if (spec.get("containers").items().isEmpty()) {
            mistakes.add(spec.get("containers").path(), null, "must have at least one container");
        }
        return new PodResources(
                containers(spec.get("containers"), false),
                containers(spec.get("initContainers"), true),
                demand(spec.get("resources"), true),
                overhead());
    }

    /** The runtime class says it; a template that says it too must say the same, which is the API server's to judge. */
    private SortedMap<String, Quantity> overhead() {
        SortedMap<String, Quantity> written = quantities(spec.get("overhead"), false);
        Field runtimeClass = spec.get("runtimeClassName");
        String name = runtimeClass.text();
        if (name == null || !written.isEmpty()) {
            return written;
        }
        return rules.overhead(name).orElseGet(() -> {
            mistakes.add(runtimeClass.path(), name, "must name an existing RuntimeClass");
            return written;
        });
    }

    /** With what the namespace gives to its containers; the pods of a template that breaks its limits would all be refused. */
    private PodResources inNamespace(String namespace, PodResources written) {
        List<LimitRange> ranges = rules.limitRanges(namespace);
        PodResources resources = LimitRange.applyAll(ranges, written);
        for (LimitCheck.Breach breach : LimitCheck.of(ranges, resources)) {
            mistakes.add(spec.path() + "." + breach.path(), breach.value(), breach.rule());
        }
        return resources;
    }

    private List<Container> containers(Field list, boolean init) {
        List<Container> containers = new ArrayList<>();
        for (Field container : list.items()) {
            boolean sidecar =
                    init && "Always".equals(container.get("restartPolicy").text());
            containers.add(
                    new Container(container.get("name").text(""), demand(container.get("resources"), false), sidecar));
        }
        return containers;
    }

    /** A limit below its request is refused, as the API server refuses it. */
    private Demand demand(Field resources, boolean ofPod) {
        SortedMap<String, Quantity> requests = quantities(resources.get("requests"), ofPod);
        SortedMap<String, Quantity> limits = quantities(resources.get("limits"), ofPod);
        requests.forEach((resource, request) -> {
            Quantity limit = limits.get(resource);
            if (limit != null && limit.compareTo(request) < 0) {
                mistakes.add(
                        resources.path() + ".limits." + resource,
                        limit.toString(),
                        "must be at least its request, which is " + request);
            }
        });
        return new Demand(requests, limits);
    }

    private SortedMap<String, Quantity> quantities(Field map, boolean ofPod) {
        SortedMap<String, Quantity> quantities = new TreeMap<>();
        for (Map.Entry<String, Field> entry : map.entries().entrySet()) {
            String text = entry.getValue().quantityText();
            if (text == null) {
                mistakes.add(entry.getValue().path(), null, "must be a quantity");
                continue;
            }
            if (ofPod && !EffectiveRequest.isPodLevel(entry.getKey())) {
                mistakes.add(entry.getValue().path(), text, "must be cpu, memory or hugepages at pod level");
                continue;
            }
            Quantity amount = NativeWorkload.amount(entry.getValue().path(), entry.getKey(), text, mistakes);
            if (amount != null) {
                quantities.put(entry.getKey(), amount);
            }
        }
        return quantities;
    }

    private List<AffinityTerm> affinityTerms() {
        List<AffinityTerm> terms = new ArrayList<>();
        Field required = spec.get("affinity").get("nodeAffinity").get("requiredDuringSchedulingIgnoredDuringExecution");
        for (Field term : required.get("nodeSelectorTerms").items()) {
            List<Requirement> requirements = new ArrayList<>();
            for (Field expression : term.get("matchExpressions").items()) {
                String operator = expression.get("operator").text("");
                if (!OPERATORS.contains(operator)) {
                    mistakes.add(
                            expression.get("operator").path(),
                            operator,
                            "must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt");
                }
                requirements.add(new Requirement(
                        expression.get("key").text(""),
                        operator,
                        expression.get("values").texts()));
            }
            terms.add(new AffinityTerm(requirements));
        }
        return terms;
    }

    private List<Toleration> tolerations() {
        List<Toleration> tolerations = new ArrayList<>();
        for (Field field : spec.get("tolerations").items()) {
            Toleration toleration = new Toleration(
                    field.get("key").text(""),
                    field.get("operator").text("Equal"),
                    field.get("value").text(""),
                    field.get("effect").text(""));
            TolerationRules.check(field.path(), toleration)
                    .forEach(broken -> mistakes.add(broken.field(), broken.value(), broken.rule()));
            tolerations.add(toleration);
        }
        return tolerations;
    }
}
