package dev.sluice.scheduling;

/** Applies commands and observations to the engine, commits, then acts. */
public interface LeaderLoop {}
