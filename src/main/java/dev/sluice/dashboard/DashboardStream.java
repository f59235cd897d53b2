package dev.sluice.dashboard;

import dev.sluice.dashboard.LivePage.Moment;
import dev.sluice.dashboard.Watcher.Change;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.operators.multi.processors.BroadcastProcessor;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Shows the page's moments to all who watch, one a second, and reads nothing while nobody does. A watcher that is slow skips moments
 * rather than queueing them: each moment is whole, so the next one that it gets brings it up to date.
 */
final class DashboardStream implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(DashboardStream.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final LivePage page;
    private final Clock clock;
    private final BroadcastProcessor<Moment> moments = BroadcastProcessor.create();
    private final AtomicInteger watching = new AtomicInteger();
    private final ScheduledFuture<?> ticking;
    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("page-ticker").factory());

    DashboardStream(LivePage page, Clock clock) {
        this.page = page;
        this.clock = clock;
        ticking = ticker.scheduleWithFixedDelay(
                this::tick, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    Multi<Change> watch() {
        return Multi.createFrom().deferred(() -> {
            Watcher watcher = new Watcher();
            watching.incrementAndGet();
            return moments.onOverflow()
                    .dropPreviousItems()
                    .onItem()
                    .transformToMultiAndConcatenate(
                            moment -> Multi.createFrom().iterable(watcher.changes(moment, clock.instant())))
                    .onTermination()
                    .invoke(watching::decrementAndGet);
        });
    }

    int watching() {
        return watching.get();
    }

    @Override
    public void close() {
        ticking.cancel(true);
        ticker.shutdownNow();
        moments.onComplete();
    }

    private void tick() {
        if (watching.get() == 0) {
            return;
        }
        try {
            moments.onNext(page.read(INTERVAL));
        } catch (RuntimeException bug) {
            // Outermost frame of the ticking thread: the next second tries again.
            LOG.error("a moment of the page could not be shown", bug);
        }
    }
}
