/**
 * REST: turns requests into commands and questions, and results into the wire contract. Decides nothing; must not know rows,
 * the cluster or how the engine works. Every error leaves as a problem (RFC 9457), mapped in {@link dev.sluice.api.ProblemMapper}.
 * Start at {@link dev.sluice.api.SubmissionResource}; shapes are in {@code wire}, documents in {@code manifest}.
 */
@NullMarked
package dev.sluice.api;

import org.jspecify.annotations.NullMarked;
