package dev.sluice.persistence;

import dev.sluice.testkit.InMemoryStore;
import java.time.InstantSource;

class InMemoryReadsTest extends StoreReadsContractTest {
    @Override
    StoreUnderTest freshStore() {
        return StoreUnderTest.of(new InMemoryStore(InstantSource.system()));
    }
}
