package dev.sluice.topology;

public class KnowsAnEarlierPackage {
    Object earlier = new dev.sluice.quota.QuotaManager();
}
