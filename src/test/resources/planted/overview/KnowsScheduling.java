package dev.sluice.overview;

class KnowsScheduling {
    Object scheduling = new dev.sluice.scheduling.KnowsTechnology();
}
