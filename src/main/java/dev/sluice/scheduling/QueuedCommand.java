package dev.sluice.scheduling;

/** A committed command. Ids are unique but say nothing about commit order: never read by {@code id > cursor}. */
public record QueuedCommand(long id, Command command, String caller) {}
