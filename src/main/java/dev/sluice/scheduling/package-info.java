/**
 * The writing side: commands come in, the leader loop applies them to the engine, commits what it decided in one fenced
 * transaction, and only then acts on the cluster. The only caller of the engine that changes it. Knows its adapters by the
 * ports it defines. Start at {@link dev.sluice.scheduling.LeaderLoop}.
 */
@NullMarked
package dev.sluice.scheduling;

import org.jspecify.annotations.NullMarked;
