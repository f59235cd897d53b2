/**
 * The demonstration: a cohort of three teams, and a player that lets them submit, borrow, call back and end, round after round. Uses
 * only what any caller of the service can: configuration edits, submissions, cancellations, and looks at the engine. Nothing of the
 * product knows it. Start at {@link dev.sluice.platform.demo.DemoPlayer}.
 */
@NullMarked
package dev.sluice.platform.demo;

import org.jspecify.annotations.NullMarked;
