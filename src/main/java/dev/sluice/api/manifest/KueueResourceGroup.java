package dev.sluice.api.manifest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.sluice.api.wire.Mistakes;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A resource group as Kueue writes it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record KueueResourceGroup(
        @Nullable List<String> coveredResources, @Nullable List<Flavor> flavors) {
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Flavor(@Nullable String name, @Nullable List<Quota> resources) {}

    /** Amounts are texts or numbers, as Kubernetes takes both. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Quota(
            @Nullable String name,
            @Nullable JsonNode nominalQuota,
            @Nullable JsonNode borrowingLimit,
            @Nullable JsonNode lendingLimit) {}

    static List<ResourceGroup> groups(@Nullable List<KueueResourceGroup> groups, Mistakes mistakes) {
        List<ResourceGroup> read = new ArrayList<>();
        List<KueueResourceGroup> given = groups == null ? List.of() : groups;
        for (int index = 0; index < given.size(); index++) {
            read.add(given.get(index).group("spec.resourceGroups[" + index + "]", mistakes));
        }
        return read;
    }

    private ResourceGroup group(String place, Mistakes mistakes) {
        List<FlavorQuotas> quotas = new ArrayList<>();
        List<Flavor> given = flavors == null ? List.of() : flavors;
        for (int index = 0; index < given.size(); index++) {
            quotas.add(flavor(place + ".flavors[" + index + "]", given.get(index), mistakes));
        }
        List<String> covered = coveredResources == null ? List.of() : coveredResources;
        if (covered.stream().anyMatch(Objects::isNull)) {
            mistakes.add(place + ".coveredResources", null, "must be a list of names");
            covered = List.of();
        }
        return new ResourceGroup(covered, quotas);
    }

    private static FlavorQuotas flavor(String place, Flavor flavor, Mistakes mistakes) {
        List<ResourceQuota> lines = new ArrayList<>();
        List<Quota> given = flavor.resources() == null ? List.of() : flavor.resources();
        for (int index = 0; index < given.size(); index++) {
            Quota quota = given.get(index);
            String at = place + ".resources[" + index + "].";
            String resource = mistakes.required(at + "name", quota.name());
            Quantity nominal = amount(at + "nominalQuota", quota.nominalQuota(), mistakes);
            if (quota.nominalQuota() == null) {
                mistakes.add(at + "nominalQuota", null, "is required");
            }
            Quantity borrowing = amount(at + "borrowingLimit", quota.borrowingLimit(), mistakes);
            Quantity lending = amount(at + "lendingLimit", quota.lendingLimit(), mistakes);
            if (resource != null && nominal != null) {
                lines.add(new ResourceQuota(resource, nominal, borrowing, lending));
            }
        }
        String name = mistakes.required(place + ".name", flavor.name());
        return new FlavorQuotas(name == null ? "" : name, lines);
    }

    private static @Nullable Quantity amount(String field, @Nullable JsonNode value, Mistakes mistakes) {
        if (value == null || value.isNull()) {
            return null;
        }
        if (!value.isTextual() && !value.isNumber()) {
            mistakes.add(field, value.toString(), "must be a quantity");
            return null;
        }
        return mistakes.quantity(field, value.asText());
    }

    static List<KueueResourceGroup> of(List<ResourceGroup> groups) {
        return groups.stream()
                .map(group -> new KueueResourceGroup(
                        group.coveredResources(),
                        group.flavors().stream()
                                .map(flavor -> new Flavor(
                                        flavor.flavor(),
                                        flavor.resources().stream()
                                                .map(KueueResourceGroup::quota)
                                                .toList()))
                                .toList()))
                .toList();
    }

    private static Quota quota(ResourceQuota quota) {
        return new Quota(
                quota.resource(), text(quota.nominal()), text(quota.borrowingLimit()), text(quota.lendingLimit()));
    }

    private static @Nullable JsonNode text(@Nullable Quantity quantity) {
        return quantity == null ? null : TextNode.valueOf(quantity.toString());
    }
}
