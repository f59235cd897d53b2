package dev.sluice.persistence;

import dev.sluice.testkit.InMemoryStore;
import java.time.InstantSource;

class InMemoryStoreTest extends StoreContractTest {
    @Override
    StoreUnderTest freshStore() {
        return StoreUnderTest.of(new InMemoryStore(InstantSource.system()));
    }
}
