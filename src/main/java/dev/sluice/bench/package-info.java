/**
 * Benchmarks and fault runs: each drives the whole product from outside, as its users do, over REST and against a PostgreSQL of
 * its own, and says in numbers what came of it. May use every part of the product; nothing but the command line uses it. Start at
 * {@link dev.sluice.bench.Benchmark}.
 */
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
