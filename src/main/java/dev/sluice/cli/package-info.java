/**
 * The {@code sluice} command. Client commands speak the REST contract over HTTP and know nothing of the service's classes;
 * {@code serve} and {@code dev} turn options into configuration and start the service in this process. Nothing is decided
 * here, and no client command boots the server. Start at {@link dev.sluice.cli.Main}.
 */
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
