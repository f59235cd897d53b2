/**
 * What turns the packages into one running service: which implementation stands behind which port, the clock, health, metrics,
 * and the database that {@code dev} brings along. Decides nothing about workloads; nothing depends on it but the command line.
 * Start at {@link dev.sluice.platform.EmbeddedDatabase}.
 */
@NullMarked
package dev.sluice.platform;

import org.jspecify.annotations.NullMarked;
