package dev.sluice.cli;

public class Known {}
