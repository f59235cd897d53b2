package dev.sluice.scheduling;

public class KnowsTechnology {
    jakarta.persistence.EntityManager entities;
    jakarta.ws.rs.core.Response response;
    java.sql.Connection connection;
}
