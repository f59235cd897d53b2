package dev.sluice.quota;

import org.jspecify.annotations.Nullable;

/**
 * Something outside that must agree before what has its quota may start (Kueue's AdmissionCheck). Whoever does the checking
 * tells the state of each workload's check.
 *
 * @param controllerName who does the checking
 * @param parameters an object that says how; null = none
 */
public record AdmissionCheck(
        String name, String controllerName, @Nullable Parameters parameters) {
    public record Parameters(String apiGroup, String kind, String name) {}
}
