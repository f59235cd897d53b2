/**
 * What tests are made of: builders that make a test read as a story, a clock that is set by hand, an in-memory store that keeps
 * the same promises as PostgreSQL, and PostgreSQL itself. Decides nothing; main code does not know it. Start at
 * {@link dev.sluice.testkit.InMemoryStore} and {@link dev.sluice.testkit.PostgresForTests}.
 */
@NullMarked
package dev.sluice.testkit;

import org.jspecify.annotations.NullMarked;
