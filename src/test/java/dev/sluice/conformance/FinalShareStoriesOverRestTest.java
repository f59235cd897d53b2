package dev.sluice.conformance;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.util.List;
import java.util.Map;

/** Stories recorded with the first strategy of fair sharing alone. */
@QuarkusTest
@TestProfile(FinalShareStoriesOverRestTest.Setting.class)
class FinalShareStoriesOverRestTest extends StoriesOverRest {
    static final List<String> STRATEGIES = List.of("LessThanOrEqualToFinalShare");

    FinalShareStoriesOverRestTest() {
        super(STRATEGIES, Map.of());
    }

    public static class Setting extends ParitySetting {
        public Setting() {
            super(STRATEGIES);
        }
    }
}
