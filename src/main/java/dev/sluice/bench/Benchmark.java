package dev.sluice.bench;

import java.io.PrintStream;

/** One benchmark or fault run. What it has to say while it works goes to {@code progress}, never to standard output. */
public interface Benchmark {
    Report run(PrintStream progress) throws InterruptedException;
}
