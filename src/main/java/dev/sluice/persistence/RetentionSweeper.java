package dev.sluice.persistence;

import dev.sluice.scheduling.StoreUnavailable;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/** Sweeps now and then, on a thread of its own. A database that is away is swept another time. */
@Singleton
class RetentionSweeper {
    private static final Logger LOG = Logger.getLogger(RetentionSweeper.class);

    private final Retention retention;
    private final Duration interval;
    private final Thread thread =
            Thread.ofPlatform().name("sluice-retention").daemon().unstarted(this::run);
    private volatile boolean stopped;

    RetentionSweeper(DataSource dataSource, RetentionConfig config) {
        this.retention = new Retention(dataSource, config.times());
        this.interval = config.sweepInterval();
    }

    void start(@Observes StartupEvent started) {
        thread.start();
    }

    void stop(@Observes ShutdownEvent stopping) {
        stopped = true;
        thread.interrupt();
    }

    private void run() {
        while (!stopped) {
            try {
                // A service that has just started has better things to do.
                Thread.sleep(interval);
                LOG.debugf("swept %s", retention.sweep(() -> !stopped));
            } catch (InterruptedException stopping) {
                stopped = true;
            } catch (StoreUnavailable away) {
                LOG.debugf("not swept: %s", away.getMessage());
            } catch (RuntimeException broken) {
                LOG.error("the retention sweep failed; it is tried again", broken);
            }
        }
    }
}
