package dev.sluice.dashboard;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.Engine;
import dev.sluice.overview.Announcement;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.EventLogReader;
import dev.sluice.overview.RecentDecisions;
import dev.sluice.overview.WorkloadReader.LoggedEvent;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.InMemoryReads;
import dev.sluice.testkit.InMemoryStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LivePageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Instant NOW = Instant.parse("2026-03-02T14:00:00Z");

    private final EngineStory story = EngineStory.on(aCluster().queue("team-a", 4));
    private volatile Runnable store = () -> {};
    private final Announcement announcement = new Announcement();
    private final LivePage page = new LivePage(
            engine(),
            new RecentDecisions(log(), new InMemoryReads(new InMemoryStore(() -> NOW))),
            announcement,
            new PageTemplate(PageTemplateTest.template()),
            Clock.fixed(NOW, ZoneOffset.UTC));

    @AfterEach
    void close() {
        page.close();
    }

    @Test
    void every_reading_shows_the_engine_as_it_is() {
        story.submit(aWorkload("a").in("team-a").gpus(3));
        assertThat(page.read(PATIENCE).view().headline()).isEqualTo("3 of 4 GPUs are in use.");

        story.submit(aWorkload("b").in("team-a").gpus(2));
        announcement.say("Maintenance at noon.");
        PageView view = page.read(PATIENCE).view();
        assertThat(view.lede())
                .isEqualTo("1 workload waits: queue team-a can get 1 more and the first one needs 2 of its nominal 4.");
        assertThat(view.note()).isEqualTo("Maintenance at noon.");
        assertThat(view.problem()).isEmpty();
    }

    @Test
    void while_the_store_is_away_the_last_figures_stay_and_say_so_until_it_is_back() {
        story.submit(aWorkload("a").in("team-a").gpus(3));
        PageView before = page.read(PATIENCE).view();

        store = () -> {
            throw new IllegalStateException("connection refused");
        };
        PageView away = page.read(PATIENCE).view();
        assertThat(away.problem()).isEqualTo("The store does not answer.");
        assertThat(away.problemSince()).isEqualTo(NOW.toString());
        assertThat(away.asOf()).as("age of the figures").isEqualTo(before.asOf());
        assertThat(away.headline()).isEqualTo(before.headline());

        store = () -> {};
        assertThat(page.read(PATIENCE).view().problem()).isEmpty();
    }

    @Test
    void a_store_that_hangs_does_not_hold_the_page_up() {
        PageView before = page.read(PATIENCE).view();
        CountDownLatch answers = new CountDownLatch(1);
        store = () -> {
            try {
                answers.await();
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
            }
        };

        PageView away = page.read(Duration.ofMillis(1)).view();

        assertThat(away.problem()).isEqualTo("The store does not answer.");
        assertThat(away.headline()).isEqualTo(before.headline());
        answers.countDown();
        assertThat(page.read(PATIENCE).view().problem()).isEmpty();
    }

    private EngineReader engine() {
        return new EngineReader() {
            @Override
            public <T> T ask(BiFunction<Engine, Instant, T> question) {
                return question.apply(story.engine(), story.now());
            }
        };
    }

    private EventLogReader log() {
        return new EventLogReader() {
            @Override
            public List<LoggedEvent> after(long position, int limit) {
                return List.of();
            }

            @Override
            public long end() {
                store.run();
                return 0;
            }
        };
    }
}
