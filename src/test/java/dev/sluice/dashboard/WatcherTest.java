package dev.sluice.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.dashboard.LivePage.Moment;
import dev.sluice.dashboard.Watcher.Change;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WatcherTest {
    private static final Instant NOW = Instant.parse("2026-03-02T14:00:00Z");

    private final Watcher watcher = new Watcher();

    @Test
    void a_new_watcher_gets_everything() {
        assertThat(watcher.changes(moment("20", "nobody", "1"), NOW))
                .containsExactly(new Change("summary", "20"), new Change("waiting", "nobody"), new Change("asof", "1"));
    }

    @Test
    void what_was_sent_is_not_sent_again() {
        List<Change> first = watcher.changes(moment("20", "nobody", "1"), NOW);

        assertThat(first).hasSize(3);
        assertThat(watcher.changes(moment("20", "nobody", "2"), NOW.plusSeconds(1)))
                .as("a later reading of the same figures is no change")
                .isEmpty();
        assertThat(watcher.changes(moment("22", "nobody", "3"), NOW.plusSeconds(2)))
                .containsExactly(new Change("summary", "22"), new Change("asof", "3"));
    }

    @Test
    void moments_that_were_skipped_are_made_up_for_by_the_next() {
        List<Change> first = watcher.changes(moment("20", "nobody", "1"), NOW);

        assertThat(first).hasSize(3);
        assertThat(watcher.changes(moment("32", "four", "9"), NOW.plusSeconds(3)))
                .containsExactly(new Change("summary", "32"), new Change("waiting", "four"), new Change("asof", "9"));
    }

    @Test
    void a_watcher_of_a_quiet_page_gets_a_sign_of_life() {
        List<Change> first = watcher.changes(moment("20", "nobody", "1"), NOW);

        assertThat(first).hasSize(3);
        assertThat(watcher.changes(moment("20", "nobody", "7"), NOW.plusSeconds(6)))
                .containsExactly(new Change("asof", "7"));
    }

    private static Moment moment(String summary, String waiting, String asOf) {
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("summary", summary);
        parts.put("waiting", waiting);
        parts.put("asof", asOf);
        return new Moment(PageView.unread("", NOW), parts);
    }
}
