package dev.sluice.dashboard;

import dev.sluice.overview.Announcement;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.FleetOverview;
import dev.sluice.overview.RecentDecisions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The page as it is now, read by one thread for all who look at it. When it cannot be read the last figures stay, and say that they are
 * old and since when.
 */
final class LivePage implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(LivePage.class);
    private static final int DECISIONS_MAX = 9;

    private final EngineReader engine;
    private final RecentDecisions decisions;
    private final Announcement announcement;
    private final PageTemplate template;
    private final Clock clock;
    private final ExecutorService reader = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("page-reader").factory());

    private @Nullable Future<Moment> reading;
    private Moment last;
    private @Nullable Instant awaySince;
    private long decisionsPosition = -1;
    private long decisionsConfiguration = -1;
    private List<RecentDecisions.Told> told = List.of();

    LivePage(
            EngineReader engine,
            RecentDecisions decisions,
            Announcement announcement,
            PageTemplate template,
            Clock clock) {
        this.engine = engine;
        this.decisions = decisions;
        this.announcement = announcement;
        this.template = template;
        this.clock = clock;
        this.last = moment(PageView.unread("", clock.instant()));
    }

    /** @param parts as {@link PageTemplate#parts} */
    record Moment(PageView view, Map<String, String> parts) {}

    /** Reads again and waits for that at most {@code patience}; then what was known before is given, marked as old. */
    Moment read(Duration patience) {
        Future<Moment> pending;
        synchronized (this) {
            if (reading == null || reading.isDone()) {
                reading = reader.submit(this::readNow);
            }
            pending = reading;
        }
        try {
            return pending.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException slow) {
            return away();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return away();
        } catch (ExecutionException bug) {
            throw new IllegalStateException(bug.getCause());
        }
    }

    @Override
    public void close() {
        reader.shutdownNow();
    }

    private Moment readNow() {
        try {
            Moment moment = moment(write());
            synchronized (this) {
                last = moment;
                awaySince = null;
            }
            return moment;
        } catch (RuntimeException unreadable) {
            // Outermost frame of the reading thread: whatever the reason, the page goes on with what it has and says
            // so.
            boolean first;
            synchronized (this) {
                first = awaySince == null;
            }
            if (first) {
                LOG.warn("the page cannot be read and shows its last figures until it can", unreadable);
            }
            return away();
        }
    }

    private PageView write() {
        // First the log, since it tells whether the store answers: the engine does even when nothing can be committed.
        long position = decisions.position();
        FleetOverview fleet = FleetOverview.read(engine);
        long configuration = fleet.configuration().version();
        if (position != decisionsPosition || configuration != decisionsConfiguration) {
            told = decisions.latest(fleet.configuration(), DECISIONS_MAX);
            decisionsPosition = position;
            decisionsConfiguration = configuration;
        }
        return new PageWriter(fleet).write(told, announcement.line());
    }

    private synchronized Moment away() {
        Instant since = awaySince;
        if (since == null) {
            since = clock.instant();
            awaySince = since;
        }
        return moment(last.view().away("The store does not answer.", since));
    }

    private Moment moment(PageView view) {
        return new Moment(view, template.parts(view));
    }
}
