package dev.sluice.api;

class KnowsPersistence {
    Object persistence = new dev.sluice.persistence.OpenEntity();
}
