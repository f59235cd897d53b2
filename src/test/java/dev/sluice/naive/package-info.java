/**
 * A second engine for tests, as simple as can be: plain maps, everything worked out anew at every question, nothing parked out of
 * the way of a loop for speed. It shares the product's data types and none of its code, so that where the two decide the same,
 * the fast structures of the product are right. Start at {@link dev.sluice.naive.NaiveEngine}.
 */
@NullMarked
package dev.sluice.naive;

import org.jspecify.annotations.NullMarked;
