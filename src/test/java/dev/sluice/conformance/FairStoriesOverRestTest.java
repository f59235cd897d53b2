package dev.sluice.conformance;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.util.List;
import java.util.Map;

/** Stories recorded with both strategies of fair sharing, which is how Kueue comes. */
@QuarkusTest
@TestProfile(FairStoriesOverRestTest.Setting.class)
class FairStoriesOverRestTest extends StoriesOverRest {
    static final List<String> STRATEGIES = List.of("LessThanOrEqualToFinalShare", "LessThanInitialShare");

    FairStoriesOverRestTest() {
        super(
                STRATEGIES,
                Map.of(
                        "story-h638",
                        VICTIMS_LEFT_LATER,
                        "story-h782",
                        VICTIMS_LEFT_LATER,
                        "story-r389",
                        VICTIMS_LEFT_LATER,
                        "story-r23",
                        SUBMITTED_WITH_AN_EARLIER_TIME));
    }

    public static class Setting extends ParitySetting {
        public Setting() {
            super(STRATEGIES);
        }
    }
}
