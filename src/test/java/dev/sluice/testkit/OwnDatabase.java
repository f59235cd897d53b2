package dev.sluice.testkit;

import io.quarkus.test.junit.QuarkusTestProfile;

/** A service of its own on an empty database, for a test that looks at everything there is. Costs another start. */
public class OwnDatabase implements QuarkusTestProfile {
    @Override
    public String getConfigProfile() {
        return "test";
    }
}
