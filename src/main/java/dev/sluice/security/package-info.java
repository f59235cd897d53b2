/**
 * Who may ask the service anything at all: on loopback everyone, elsewhere who shows the token. Decides only by address and token
 * and knows nothing of what is asked. Start at {@link dev.sluice.security.TokenGate}.
 */
@NullMarked
package dev.sluice.security;

import org.jspecify.annotations.NullMarked;
