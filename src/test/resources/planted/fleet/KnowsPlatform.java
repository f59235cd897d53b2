package dev.sluice.fleet;

class KnowsPlatform {
    Object platform = new dev.sluice.platform.KnowsCli();
}
