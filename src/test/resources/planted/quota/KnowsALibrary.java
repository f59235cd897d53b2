package dev.sluice.quota;

class KnowsALibrary {
    Object library = new com.fasterxml.jackson.databind.ObjectMapper();
}
