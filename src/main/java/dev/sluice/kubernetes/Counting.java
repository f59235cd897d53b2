package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.batch.v1.Job;

/** Whether what a Job asks for, as it was seen, is what its workload's quota was given for. */
interface Counting {
    Answer COUNTED = new Counted();

    Answer of(JobSnapshot job, WantedJob order);

    /** A Job was just made for this order, and is as the API server stored it. */
    default void created(Job job, WantedJob order) {}

    sealed interface Answer {}

    record Counted() implements Answer {}

    /** It is being counted, or asked for anew. */
    record NotYet() implements Answer {}

    /** @param reason fit for the Job's author to read */
    record Uncountable(String reason) implements Answer {}
}
