package dev.sluice.testkit;

import dev.sluice.persistence.SessionSettings;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** A database of one test class. */
public record TestDatabase(String jdbcUrl, String user, String password) {
    /** A pool set up as the service sets up its own. Whoever opens it closes it. */
    public AgroalDataSource open() {
        AgroalDataSourceConfigurationSupplier configuration = new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(pool -> pool.maxSize(16)
                        .acquisitionTimeout(Duration.ofSeconds(10))
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl(jdbcUrl)
                                .principal(new NamePrincipal(user))
                                .credential(new SimplePassword(password))
                                .jdbcProperty("socketTimeout", "30")
                                .jdbcProperty("connectTimeout", "5")));
        try {
            AgroalDataSource dataSource = AgroalDataSource.from(configuration);
            dataSource.setPoolInterceptors(List.of(new SessionSettings()));
            return dataSource;
        } catch (SQLException failed) {
            throw new IllegalStateException("no pool for " + jdbcUrl, failed);
        }
    }
}
