package dev.sluice.platform;

import dev.sluice.overview.Announcement;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Makes the parts of the reading side that are no adapters. */
@Singleton
public class OverviewWiring {
    @Produces
    @Singleton
    Announcement announcement() {
        return new Announcement();
    }
}
