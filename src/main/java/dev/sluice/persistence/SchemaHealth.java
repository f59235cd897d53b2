package dev.sluice.persistence;

import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;

/** Ready while the schema is the one that this version was built for; tells which it is and what it lacks. */
@Readiness
@Singleton
class SchemaHealth implements HealthCheck {
    private final Flyway flyway;

    SchemaHealth(Flyway flyway) {
        this.flyway = flyway;
    }

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder answer = HealthCheckResponse.named("schema");
        try {
            MigrationInfoService migrations = flyway.info();
            MigrationInfo current = migrations.current();
            int pending = migrations.pending().length;
            return answer.withData("version", current == null ? "none" : String.valueOf(current.getVersion()))
                    .withData("pendingMigrations", pending)
                    .status(pending == 0)
                    .build();
        } catch (FlywayException away) {
            return answer.withData("why", String.valueOf(away.getMessage()))
                    .down()
                    .build();
        }
    }
}
