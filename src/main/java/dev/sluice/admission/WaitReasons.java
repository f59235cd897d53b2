package dev.sluice.admission;

import dev.sluice.admission.Nomination.Finding;
import dev.sluice.admission.Nomination.Mode;
import dev.sluice.admission.Nomination.Obstacle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Says in one reason why a nomination did not start. A flavor is as bad as its worst resource; among the flavors of a group
 * the least obstacle counts, since one flavor is enough; among groups and pod sets the greatest, since all are needed.
 */
final class WaitReasons {
    private WaitReasons() {}

    /** @throws IllegalStateException for a nomination in which nothing was found to be missing */
    static WaitReason of(Nomination nomination) {
        Finding decisive = nomination.mode() == Mode.NO_FIT ? decisive(nomination) : firstContested(nomination);
        return switch (decisive.obstacle()) {
            case NOT_PLACEABLE ->
                new WaitReason.NotPlaceable(
                        decisive.resource(), decisive.flavor(), decisive.requested(), decisive.limit());
            case QUOTA_EXHAUSTED -> exhausted(decisive);
            case EXCEEDS_MAXIMUM ->
                isForced(nomination, decisive)
                        ? new WaitReason.ExceedsMaximum(
                                decisive.resource(), decisive.flavor(), decisive.requested(), decisive.limit())
                        : exhausted(decisive);
            case NO_MATCHING_FLAVOR ->
                decisive.group() < 0
                        ? new WaitReason.ResourceNotCovered(
                                decisive.resource(), nomination.request().queue.name(), decisive.requested())
                        : new WaitReason.NoMatchingFlavor(decisive.resource(), mismatches(nomination, decisive));
        };
    }

    /** What decides why it does not fit; null = a resource that the queue has no line for. */
    static @Nullable Obstacle obstacle(Nomination nomination) {
        Finding decisive = decisive(nomination);
        return decisive.group() < 0 ? besidesUnlisted(nomination, decisive) : decisive.obstacle();
    }

    /**
     * Kueue has no word for a resource that the queue does not list, and tells what stood in the way of the pod set's other resources, of
     * each group on the flavor that was nearest. Null = nothing did.
     */
    private static @Nullable Obstacle besidesUnlisted(Nomination nomination, Finding unlisted) {
        SortedMap<Integer, SortedMap<String, Obstacle>> worst = new TreeMap<>();
        for (Finding finding : nomination.findings()) {
            if (finding.part() == unlisted.part() && finding.group() >= 0 && finding.ends()) {
                worst.computeIfAbsent(finding.group(), group -> new TreeMap<>())
                        .merge(
                                finding.flavor(),
                                finding.obstacle(),
                                (left, right) -> Collections.max(List.of(left, right)));
            }
        }
        return worst.values().stream()
                .map(byFlavor -> Collections.min(byFlavor.values()))
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    private static WaitReason exhausted(Finding finding) {
        return new WaitReason.QuotaExhausted(
                finding.resource(),
                finding.flavor(),
                finding.requested(),
                finding.limit(),
                Math.max(1, finding.requested() - finding.limit()));
    }

    /** Whether no other choice for an earlier pod set could leave more of the line: then it can never fit. */
    private static boolean isForced(Nomination nomination, Finding finding) {
        long alone = 0;
        PreparedRequest.Part part = nomination.request().parts.get(finding.part());
        for (int resource = 0; resource < part.resources.length; resource++) {
            if (part.resources[resource].equals(finding.resource())) {
                alone = part.totals[resource];
            }
        }
        return alone > finding.limit()
                || nomination
                                .request()
                                .queue
                                .groups()
                                .get(finding.group())
                                .flavors()
                                .size()
                        == 1;
    }

    private static List<WaitReason.Mismatch> mismatches(Nomination nomination, Finding decisive) {
        List<WaitReason.Mismatch> mismatches = new ArrayList<>();
        for (Finding finding : nomination.findings()) {
            String mismatch = finding.mismatch();
            if (mismatch != null && finding.part() == decisive.part() && finding.group() == decisive.group()) {
                mismatches.add(new WaitReason.Mismatch(finding.flavor(), mismatch));
            }
        }
        return mismatches;
    }

    private static Finding decisive(Nomination nomination) {
        record Place(int part, int group) {}
        Map<Place, Map<String, Finding>> worstOfFlavor = new LinkedHashMap<>();
        for (Finding finding : nomination.findings()) {
            if (finding.ends()) {
                worstOfFlavor
                        .computeIfAbsent(new Place(finding.part(), finding.group()), place -> new LinkedHashMap<>())
                        .merge(finding.flavor(), finding, WaitReasons::worse);
            }
        }
        // Only the part at which the scan ended is missing something; earlier ones may have passed over a flavor.
        int last = nomination.choices().size();
        @Nullable Finding decisive = null;
        for (Map.Entry<Place, Map<String, Finding>> place : worstOfFlavor.entrySet()) {
            if (place.getKey().part() == last) {
                Finding least = place.getValue().values().stream()
                        .min(Comparator.comparing(Finding::obstacle))
                        .orElse(null);
                decisive = decisive == null || least == null ? least : worse(decisive, least);
            }
        }
        if (decisive == null) {
            throw new IllegalStateException("nothing was found missing in queue "
                    + nomination.request().queue.name());
        }
        return decisive;
    }

    private static Finding worse(Finding left, Finding right) {
        return right.obstacle().compareTo(left.obstacle()) > 0 ? right : left;
    }

    private static Finding firstContested(Nomination nomination) {
        for (Finding finding : nomination.findings()) {
            if (finding.obstacle() == Obstacle.QUOTA_EXHAUSTED && !finding.ends() && isChosen(nomination, finding)) {
                return finding;
            }
        }
        throw new IllegalStateException(
                "no line is contested in queue " + nomination.request().queue.name());
    }

    private static boolean isChosen(Nomination nomination, Finding finding) {
        PreparedRequest.Part part = nomination.request().parts.get(finding.part());
        for (int resource = 0; resource < part.resources.length; resource++) {
            int flavor = nomination.choices().get(finding.part()).flavors()[resource];
            if (part.resources[resource].equals(finding.resource())
                    && flavor >= 0
                    && nomination
                            .request()
                            .queue
                            .groups()
                            .get(finding.group())
                            .flavors()
                            .get(flavor)
                            .equals(finding.flavor())) {
                return true;
            }
        }
        return false;
    }
}
