/**
 * The live page at {@code /}: Qute makes the HTML, htmx swaps what changed, server-sent events say that something did. Decides nothing
 * and reads nothing but {@code overview}; must not know the engine, the store or REST. Start at
 * {@link dev.sluice.dashboard.DashboardResource}, then {@link dev.sluice.dashboard.LivePage}.
 */
@NullMarked
package dev.sluice.dashboard;

import org.jspecify.annotations.NullMarked;
