package dev.sluice.persistence;

import dev.sluice.testkit.PostgresForTests;
import io.agroal.api.AgroalDataSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

class PostgresReadsTest extends StoreReadsContractTest {
    private final List<AgroalDataSource> open = new ArrayList<>();

    @Override
    StoreUnderTest freshStore() {
        AgroalDataSource dataSource = PostgresForTests.freshDatabase().open();
        open.add(dataSource);
        return StoreUnderTest.of(dataSource);
    }

    @AfterEach
    void close() {
        open.forEach(AgroalDataSource::close);
    }
}
