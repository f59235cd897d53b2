package dev.sluice.testkit;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;
import java.util.Map;

/** Gives the service under test an empty database, which it migrates itself. Applies to every {@code @QuarkusTest}. */
@WithTestResource(value = PostgresTestResource.class, scope = TestResourceScope.GLOBAL)
public class PostgresTestResource implements QuarkusTestResourceLifecycleManager {
    @Override
    public Map<String, String> start() {
        TestDatabase database = PostgresForTests.emptyDatabase();
        return Map.of(
                "quarkus.datasource.jdbc.url", database.jdbcUrl(),
                "quarkus.datasource.username", database.user(),
                "quarkus.datasource.password", database.password());
    }

    @Override
    public void stop() {
        // the server ends with the process, and the database with it
    }
}
