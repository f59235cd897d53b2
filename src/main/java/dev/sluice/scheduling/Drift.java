package dev.sluice.scheduling;

import dev.sluice.admission.LedgerDrift;
import dev.sluice.workload.WorkloadId;

/** Where what is charged and what runs have come apart, which must never be. */
public sealed interface Drift {
    /** A running total of the engine is not the sum of its parts. */
    record Total(LedgerDrift of) implements Drift {}

    /** Its pods run, but nothing is charged for them. */
    record RunsUncharged(WorkloadId workload) implements Drift {}

    /** It is charged as running, but no pods of it are there, nor about to be. */
    record ChargedWithoutPods(WorkloadId workload) implements Drift {}
}
