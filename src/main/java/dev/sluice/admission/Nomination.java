package dev.sluice.admission;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a request gets in a queue at this moment: flavors, and whether they are free.
 */
final class Nomination {
    private final PreparedRequest request;
    /** The worst of all pod sets and resources. */
    private final Mode mode;

    /** Borrowing level: height of the smallest subtree that holds it without borrowing. */
    private final int borrowing;

    /** One per part of the request; fewer if a part found no flavor. */
    private final List<Choice> choices;

    /** What it would cost; empty if it does not fit at all. */
    private final Charge charge;

    /** Lines on which quota is missing now. */
    private final int[] contested;

    /** What was found of each flavor that did not simply fit, in the order of the scan. */
    private final List<Finding> findings;

    /** Per part and resource: the flavor at which the scan stopped; -1 = it saw the last one. */
    private final int[][] stoppedAt;

    Nomination(
            PreparedRequest request,
            Mode mode,
            int borrowing,
            List<Choice> choices,
            Charge charge,
            int[] contested,
            List<Finding> findings,
            int[][] stoppedAt) {
        this.request = request;
        this.mode = mode;
        this.borrowing = borrowing;
        this.choices = choices;
        this.charge = charge;
        this.contested = contested;
        this.findings = findings;
        this.stoppedAt = stoppedAt;
    }

    PreparedRequest request() {
        return request;
    }

    Mode mode() {
        return mode;
    }

    int borrowing() {
        return borrowing;
    }

    List<Choice> choices() {
        return choices;
    }

    Charge charge() {
        return charge;
    }

    int[] contested() {
        return contested;
    }

    List<Finding> findings() {
        return findings;
    }

    int[][] stoppedAt() {
        return stoppedAt;
    }

    enum Mode {
        NO_FIT,
        PREEMPT,
        FIT
    }

    static final class Choice {
        /** Per resource of the part: index of the flavor in its group; -1 = the resource is not charged. */
        private final int[] flavors;

        /** Per resource. */
        private final Mode[] modes;

        Choice(int[] flavors, Mode[] modes) {
            this.flavors = flavors;
            this.modes = modes;
        }

        int[] flavors() {
            return flavors;
        }

        Mode[] modes() {
            return modes;
        }
    }

    /** How much stands in the way, least first: what may pass by waiting, and what only a change of configuration lifts. */
    enum Obstacle {
        NOT_PLACEABLE,
        QUOTA_EXHAUSTED,
        EXCEEDS_MAXIMUM,
        NO_MATCHING_FLAVOR
    }

    /**
     * @param group index of the resource group; -1 = the queue has no line for the resource
     * @param ends whether the flavor is out for now; false = preemption may help
     * @param limit available, potential or usable, as the obstacle has it
     */
    record Finding(
            int part,
            int group,
            String flavor,
            String resource,
            Obstacle obstacle,
            boolean ends,
            long requested,
            long limit,
            @Nullable String mismatch) {}

    ScanMemory remember(long generation, long cycle, long instant) {
        return new ScanMemory(stoppedAt, generation, cycle, instant);
    }

    Assignment assignment(boolean borrows) {
        List<@Nullable PodSetAssignment> podSets = new ArrayList<>();
        request.podSets.forEach(podSet -> podSets.add(null));
        for (int part = 0; part < choices.size(); part++) {
            PreparedRequest.Part asked = request.parts.get(part);
            for (int podSet : asked.podSets) {
                podSets.set(podSet, assignmentOf(podSet, asked, choices.get(part)));
            }
        }
        List<PodSetAssignment> complete = new ArrayList<>();
        for (PodSetAssignment podSet : podSets) {
            if (podSet == null) {
                throw new IllegalStateException("a pod set of queue " + request.queue.name() + " found no flavor");
            }
            complete.add(podSet);
        }
        return new Assignment(request.queue.name(), complete, borrows);
    }

    private PodSetAssignment assignmentOf(int podSet, PreparedRequest.Part asked, Choice choice) {
        Map<String, Long> own = request.requestOf(podSet);
        SortedMap<String, String> flavors = new TreeMap<>();
        SortedMap<String, Long> usage = new TreeMap<>();
        for (int index = 0; index < asked.resources.length; index++) {
            Long amount = own.get(asked.resources[index]);
            if (choice.flavors()[index] >= 0 && amount != null) {
                flavors.put(
                        asked.resources[index],
                        request.queue
                                .groups()
                                .get(asked.groups[index])
                                .flavors()
                                .get(choice.flavors()[index]));
                usage.put(asked.resources[index], amount);
            }
        }
        return new PodSetAssignment(request.podSets.get(podSet).name(), request.counts[podSet], flavors, usage);
    }
}
