package dev.sluice.workload;

class KnowsAnAdapter {
    Object adapter = new dev.sluice.api.StrayEntity();
}
