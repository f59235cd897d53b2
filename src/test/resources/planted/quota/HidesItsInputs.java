package dev.sluice.quota;

import java.util.function.LongSupplier;

class HidesItsInputs {
    Object clock = java.time.Instant.now();
    long nanos = System.nanoTime();
    LongSupplier millis = System::currentTimeMillis;
    Object id = java.util.UUID.randomUUID();
    Object chance = new java.util.Random();
    Object seeded = new java.util.Random(7L);
    Object zone = java.time.Clock.systemUTC();
}
