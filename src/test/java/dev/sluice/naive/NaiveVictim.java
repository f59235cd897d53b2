package dev.sluice.naive;

import dev.sluice.admission.EvictionReason;

record NaiveVictim(NaiveWorkload workload, EvictionReason reason) {}
