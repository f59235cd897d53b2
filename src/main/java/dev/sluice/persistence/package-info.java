/**
 * PostgreSQL behind the ports of scheduling and overview: what is committed, in which transaction, and how it is read back.
 * Decides nothing about workloads or quotas, and knows no adapter. Writes go by JDBC in batches bound as arrays; every class
 * takes a {@code DataSource}, so that it works in plain tests as well as in the service. Start at
 * {@link dev.sluice.persistence.PostgresSchedulingStore}; the tables stand in {@code db/migrations}.
 */
@NullMarked
package dev.sluice.persistence;

import org.jspecify.annotations.NullMarked;
