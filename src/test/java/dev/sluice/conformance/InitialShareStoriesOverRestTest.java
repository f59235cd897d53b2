package dev.sluice.conformance;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.util.List;
import java.util.Map;

/** Stories recorded with the second strategy of fair sharing alone. */
@QuarkusTest
@TestProfile(InitialShareStoriesOverRestTest.Setting.class)
class InitialShareStoriesOverRestTest extends StoriesOverRest {
    static final List<String> STRATEGIES = List.of("LessThanInitialShare");

    InitialShareStoriesOverRestTest() {
        super(STRATEGIES, Map.of());
    }

    public static class Setting extends ParitySetting {
        public Setting() {
            super(STRATEGIES);
        }
    }
}
