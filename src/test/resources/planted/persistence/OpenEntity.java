package dev.sluice.persistence;

@jakarta.persistence.Entity
public class OpenEntity {}
