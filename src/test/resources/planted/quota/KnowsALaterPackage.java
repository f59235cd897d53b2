package dev.sluice.quota;

class KnowsALaterPackage {
    Object later = new dev.sluice.topology.KnowsAnEarlierPackage();
}
