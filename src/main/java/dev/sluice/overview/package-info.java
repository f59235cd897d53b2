/**
 * The reading side: lists, explanations, usage, history and true order, for REST, the dashboard and the command line. Changes
 * nothing, and makes no live engine decide: it reads rows, recorded reasons, and asks the engine to explain. Knows its adapters by
 * the ports it defines. Start at {@link dev.sluice.overview.WorkloadReader} and {@link dev.sluice.overview.EngineReader}.
 */
@NullMarked
package dev.sluice.overview;

import org.jspecify.annotations.NullMarked;
