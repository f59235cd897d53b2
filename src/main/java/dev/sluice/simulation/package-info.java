/**
 * Random small clusters live through random events, and what must always hold is checked after every step by formulas of their own:
 * slow, and written as the rules are. A harness, for tests and for the benchmark of the same name; no product code uses it. Start
 * at {@link dev.sluice.simulation.Simulation}.
 */
@NullMarked
package dev.sluice.simulation;

import org.jspecify.annotations.NullMarked;
