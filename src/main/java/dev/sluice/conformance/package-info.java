/**
 * Runs recorded vectors, each a small world with a question and the observed answer, against the engine in parity. Reads
 * JSON, knows only the pure packages, and must not be needed by anything that runs workloads. Start at {@link
 * dev.sluice.conformance.ConformanceRunner}.
 */
@NullMarked
package dev.sluice.conformance;

import org.jspecify.annotations.NullMarked;
