package dev.sluice.scheduling;

import org.jspecify.annotations.Nullable;

/** @param refusal why nothing was done; null = done */
public record CommandOutcome(long commandId, @Nullable String refusal) {}
