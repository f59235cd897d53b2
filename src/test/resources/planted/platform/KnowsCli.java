package dev.sluice.platform;

public class KnowsCli {
    Object cli = new dev.sluice.cli.Known();
}
