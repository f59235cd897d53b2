package dev.sluice.api.wire;

import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.quota.Resources;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Quota lines as people write them and resource groups as the model holds them. Lines that share a flavor or a resource belong to
 * one group, unless they name one; the order of flavors in the lines is the order in which they are tried.
 */
public final class QuotaLines {
    /** The flavor of a line that names none; it exists as soon as it is needed. */
    public static final String DEFAULT_FLAVOR = "default";

    private final List<Line> lines = new ArrayList<>();
    private final Map<String, String> parents = new HashMap<>();

    private QuotaLines() {}

    private record Line(
            String flavor, ResourceQuota quota, @Nullable String group) {}

    public static List<ResourceGroup> groups(@Nullable List<QuotaLineBody> bodies, Mistakes mistakes) {
        QuotaLines quotas = new QuotaLines();
        List<QuotaLineBody> given = bodies == null ? List.of() : bodies;
        for (int index = 0; index < given.size(); index++) {
            quotas.read("quotas[" + index + "].", given.get(index), mistakes);
        }
        return quotas.grouped();
    }

    private void read(String place, @Nullable QuotaLineBody body, Mistakes mistakes) {
        if (body == null) {
            mistakes.add(place, null, "must be an object");
            return;
        }
        String resource = resource(place, body, mistakes);
        if (body.nominal() == null) {
            mistakes.add(place + "nominal", null, "is required");
        }
        Quantity nominal = mistakes.quantity(place + "nominal", body.nominal());
        Quantity borrowing = mistakes.quantity(place + "borrowingLimit", body.borrowingLimit());
        Quantity lending = mistakes.quantity(place + "lendingLimit", body.lendingLimit());
        if (resource != null && nominal != null) {
            String flavor = body.flavor() == null ? DEFAULT_FLAVOR : body.flavor();
            lines.add(new Line(flavor, new ResourceQuota(resource, nominal, borrowing, lending), body.group()));
        }
    }

    private static @Nullable String resource(String place, QuotaLineBody body, Mistakes mistakes) {
        String dimension = body.counter() == null ? body.capacity() : body.counter();
        if ((body.resource() == null) == (body.deviceClass() == null)) {
            mistakes.add(place + "resource", body.resource(), "or deviceClass must be given, and not both");
            return null;
        }
        if (body.counter() != null && body.capacity() != null) {
            mistakes.add(place + "capacity", body.capacity(), "must be left out where counter is given");
        }
        if (body.resource() != null) {
            if (dimension != null) {
                mistakes.add(place + "counter", dimension, "needs a deviceClass");
            }
            return body.resource();
        }
        String key = Resources.ofDeviceClass(String.valueOf(body.deviceClass()));
        return dimension == null ? key : key + "/" + dimension;
    }

    private List<ResourceGroup> grouped() {
        Map<String, String> groupOfFlavor = new HashMap<>();
        for (Line line : lines) {
            if (line.group() != null) {
                groupOfFlavor.putIfAbsent(line.flavor(), line.group());
            }
        }
        groupOfFlavor.forEach((flavor, group) -> unite("flavor " + flavor, "group " + group));
        for (Line line : lines) {
            if (line.group() == null) {
                unite("flavor " + line.flavor(), "resource " + line.quota().resource());
            }
        }
        Map<String, List<Line>> groups = new LinkedHashMap<>();
        for (Line line : lines) {
            String member = line.group() == null ? "flavor " + line.flavor() : "group " + line.group();
            groups.computeIfAbsent(root(member), root -> new ArrayList<>()).add(line);
        }
        return groups.values().stream().map(QuotaLines::group).toList();
    }

    private static ResourceGroup group(List<Line> lines) {
        Set<String> covered = new LinkedHashSet<>();
        Map<String, List<ResourceQuota>> flavors = new LinkedHashMap<>();
        for (Line line : lines) {
            covered.add(line.quota().resource());
            flavors.computeIfAbsent(line.flavor(), flavor -> new ArrayList<>()).add(line.quota());
        }
        List<String> order = List.copyOf(covered);
        List<FlavorQuotas> quotas = new ArrayList<>();
        flavors.forEach((flavor, ofFlavor) -> {
            ofFlavor.sort(Comparator.comparingInt(quota -> order.indexOf(quota.resource())));
            quotas.add(new FlavorQuotas(flavor, ofFlavor));
        });
        return new ResourceGroup(order, quotas);
    }

    private void unite(String left, String right) {
        parents.put(root(left), root(right));
    }

    private String root(String member) {
        String at = member;
        String parent = parents.getOrDefault(at, at);
        while (!parent.equals(at)) {
            at = parent;
            parent = parents.getOrDefault(at, at);
        }
        return at;
    }

    /** Names no group: in a valid configuration two of them share neither flavor nor resource. */
    public static List<QuotaLineBody> bodies(List<ResourceGroup> groups) {
        List<QuotaLineBody> bodies = new ArrayList<>();
        for (ResourceGroup group : groups) {
            for (FlavorQuotas flavor : group.flavors()) {
                flavor.resources().forEach(quota -> bodies.add(body(flavor.flavor(), quota)));
            }
        }
        return bodies;
    }

    private static QuotaLineBody body(String flavor, ResourceQuota quota) {
        String resource = quota.resource();
        String deviceClass = null;
        String counter = null;
        if (Resources.isDeviceClass(resource)) {
            deviceClass = resource.substring(Resources.DEVICE_CLASS_PREFIX.length());
            int slash = deviceClass.indexOf('/');
            if (slash >= 0) {
                counter = deviceClass.substring(slash + 1);
                deviceClass = deviceClass.substring(0, slash);
            }
        }
        return new QuotaLineBody(
                flavor,
                deviceClass == null ? resource : null,
                deviceClass,
                counter,
                null,
                null,
                quota.nominal().toString(),
                quota.borrowingLimit() == null ? null : quota.borrowingLimit().toString(),
                quota.lendingLimit() == null ? null : quota.lendingLimit().toString());
    }
}
