/**
 * Facts out: relays the committed log as CloudEvents to a reactive messaging channel. It knows the log by its port and decides nothing;
 * what happened is in the log already, so a message is at least once and in order. Start at {@link dev.sluice.messaging.OutboxRelay}.
 */
@NullMarked
package dev.sluice.messaging;

import org.jspecify.annotations.NullMarked;
