/**
 * What turns the packages into one running service: makes the beans out of plain classes, starts and stops what runs, tells how it does
 * (metrics, health), and brings along the database of {@code dev}. The only package that knows every other; nothing depends on it but
 * the command line. Decides nothing about workloads. Start at {@link dev.sluice.platform.SchedulingWiring}.
 */
@NullMarked
package dev.sluice.platform;

import org.jspecify.annotations.NullMarked;
