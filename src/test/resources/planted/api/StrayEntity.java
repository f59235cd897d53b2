package dev.sluice.api;

@jakarta.persistence.Entity
public class StrayEntity {}
