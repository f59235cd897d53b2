package dev.sluice.dashboard;

import dev.sluice.dashboard.LivePage.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One browser that watches: knows what it was sent, so that it gets what changed and nothing else. */
final class Watcher {
    private static final String AS_OF = "asof";
    /** A sign of life and the age of the figures, for when nothing else changes. */
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(5);

    private final Map<String, String> sent = new HashMap<>();
    private Instant lastSentAt = Instant.MIN;

    record Change(String part, String html) {}

    /** What differs from what was sent before, in the order of the page. */
    List<Change> changes(Moment moment, Instant now) {
        List<Change> changes = new ArrayList<>();
        moment.parts().forEach((part, html) -> {
            if (!part.equals(AS_OF) && !html.equals(sent.get(part))) {
                changes.add(new Change(part, html));
            }
        });
        if (!changes.isEmpty() || lastSentAt.plus(SIGN_OF_LIFE).isBefore(now)) {
            changes.add(new Change(AS_OF, moment.parts().getOrDefault(AS_OF, "")));
            lastSentAt = now;
        }
        changes.forEach(change -> sent.put(change.part(), change.html()));
        return changes;
    }
}
