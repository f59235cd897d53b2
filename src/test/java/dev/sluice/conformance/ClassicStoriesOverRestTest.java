package dev.sluice.conformance;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.util.List;
import java.util.Map;

/** Stories recorded without fair sharing. */
@QuarkusTest
@TestProfile(ClassicStoriesOverRestTest.Setting.class)
class ClassicStoriesOverRestTest extends StoriesOverRest {
    static final List<String> STRATEGIES = List.of();

    ClassicStoriesOverRestTest() {
        super(
                STRATEGIES,
                Map.of(
                        "story-h79",
                        VICTIMS_LEFT_LATER,
                        "story-r463",
                        SUBMITTED_WITH_AN_EARLIER_TIME,
                        "story-r325",
                        SUBMITTED_WITH_AN_EARLIER_TIME));
    }

    public static class Setting extends ParitySetting {
        public Setting() {
            super(STRATEGIES);
        }
    }
}
