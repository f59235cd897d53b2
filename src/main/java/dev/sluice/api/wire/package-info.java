/**
 * The JSON shapes of the contract and their way to and from the model: what is missing gets its default, what is wrong is
 * named by field, value and rule, all mistakes of a body at once. Must not know HTTP or any service. Start at
 * {@link dev.sluice.api.wire.JsonBody} and {@link dev.sluice.api.wire.Mistakes}.
 */
@NullMarked
package dev.sluice.api.wire;

import org.jspecify.annotations.NullMarked;
