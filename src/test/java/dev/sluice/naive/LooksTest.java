package dev.sluice.naive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EngineProbe;
import dev.sluice.admission.EngineProbe.Cost;
import dev.sluice.admission.FairSharing;
import dev.sluice.admission.OrderKeeping;
import dev.sluice.admission.VictimChoice;
import dev.sluice.simulation.RandomLife;
import dev.sluice.simulation.RandomWorld;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What it costs to decide, in looks. The bounds and memories of the engine change no decision, so no other test sees one that has stopped
 * to spare what it is there to spare. The numbers are what it costs now: whoever finds them lower writes down the lower ones, and whoever
 * raises them should know what for.
 */
@Tag("core")
class LooksTest {
    private static final int WORLDS = 4;
    private static final int STEPS = 80;
    private static final OrderKeeping QUICK_GUARD = new OrderKeeping(true, Duration.ofSeconds(5));
    private static final VictimChoice QUICK_BRAKE =
            new VictimChoice(Duration.ofSeconds(3), 2, Duration.ofSeconds(6), true, true);

    @ParameterizedTest
    @CsvSource({
        "0,695,795,700,6116",
        "4,737,968,740,4426",
        "8,626,680,596,23422",
        "12,547,408,446,9372",
        "16,496,634,452,6110",
        "20,566,505,471,9086",
        "24,796,1115,845,8632",
        "28,482,272,360,4190",
        "32,928,2592,1240,20497",
        "36,735,912,733,5680",
        "132,765,1258,1060,23121",
        "144,657,709,624,21186",
        "191,801,968,791,9696",
        "313,727,845,645,15375",
        "845,603,476,489,10681",
        "1438,778,1427,894,21190"
    })
    void in_a_crowded_cohort(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(seed, LooksTest::ofCrowd)).isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    @ParameterizedTest
    @CsvSource({
        "0,688,654,1714,16612",
        "8,765,683,1414,37570",
        "16,531,521,797,14407",
        "24,702,718,1275,14046",
        "32,911,1296,1219,17937",
        "132,808,813,2109,52578",
        "144,926,833,1951,53414",
        "313,790,869,1069,18824",
        "845,821,767,1943,32976",
        "1438,916,869,2298,47222"
    })
    void in_a_crowded_cohort_where_fronts_keep_their_room(
            long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(seed, LooksTest::ofGuardedCrowd)).isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    private static Cost together(long seed, LongFunction<Cost> ofOne) {
        return LongStream.range(seed, seed + WORLDS).mapToObj(ofOne).reduce(new Cost(0, 0, 0, 0), Cost::plus);
    }

    private static Cost ofCrowd(long seed) {
        CrowdedCohort crowd = new CrowdedCohort(seed);
        return ofCrowd(crowd, crowd.settings());
    }

    private static Cost ofGuardedCrowd(long seed) {
        CrowdedCohort crowd = new CrowdedCohort(seed);
        return ofCrowd(crowd, crowd.settings().with(QUICK_GUARD));
    }

    private static Cost ofCrowd(CrowdedCohort crowd, AdmissionSettings settings) {
        Engine engine = new Engine(settings);
        crowd.live((events, now) -> {
            events.forEach(event -> engine.apply(event, now));
            return engine.decide(now);
        });
        return new EngineProbe(engine).cost();
    }

    @ParameterizedTest
    @CsvSource({
        "0,303,331,504,7221",
        "4,434,806,2089,35396",
        "8,259,770,2225,31928",
        "12,162,355,750,8861",
        "16,340,759,2803,66158",
        "20,398,712,835,6096",
        "24,247,488,1482,29669",
        "28,142,255,754,13051",
        "32,227,347,1309,3459",
        "36,375,597,1511,16408",
        "40,335,629,1489,19703",
        "44,336,271,1051,10735",
        "48,289,310,994,6912",
        "52,330,536,2580,26733",
        "56,375,776,1308,30848",
        "60,222,421,1701,17986"
    })
    void in_any_world(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(seed, world -> ofWorld(world, AdmissionSettings.defaults())))
                .isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    @ParameterizedTest
    @CsvSource({
        "100,403,731,2961,95223",
        "104,391,552,2800,94509",
        "108,292,405,2062,20503",
        "112,261,331,1291,26887",
        "116,356,518,1965,46640",
        "120,337,427,1721,24054",
        "124,350,517,1629,33825",
        "128,337,1097,1567,16969",
        "132,273,458,885,19481",
        "136,280,272,1389,9138",
        "140,262,359,2547,38549",
        "144,233,301,825,18740"
    })
    void where_fronts_keep_their_room(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(
                        seed,
                        world -> ofWorld(world, AdmissionSettings.defaults().with(QUICK_GUARD))))
                .isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    @ParameterizedTest
    @CsvSource({
        "200,339,583,1128,11027",
        "204,304,425,1321,23816",
        "208,251,662,1289,22433",
        "212,432,765,1922,23721",
        "216,319,727,1964,48099",
        "220,199,90,1667,18250"
    })
    void where_victims_are_protected(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(
                        seed,
                        world -> ofWorld(world, AdmissionSettings.defaults().with(QUICK_BRAKE))))
                .isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    /** Kueue wakes everybody, so nothing is searched for. */
    @ParameterizedTest
    @CsvSource({
        "0,799,16476",
        "4,1789,48183",
        "8,1409,28367",
        "12,656,8504",
        "16,1283,36818",
        "20,1035,18841",
        "24,962,23061",
        "28,539,8096",
        "32,970,5412",
        "36,1445,32779",
        "40,999,8724",
        "44,1165,20281",
        "48,1602,25892",
        "52,1452,40512",
        "56,1052,20803",
        "60,1017,14087"
    })
    void in_any_world_as_kueue_decides(long seed, long nominations, long writes) {
        assertThat(together(seed, world -> ofWorld(world, AdmissionSettings.kueueParity())))
                .isEqualTo(new Cost(0, 0, nominations, writes));
    }

    private static Cost ofWorld(long seed, AdmissionSettings policies) {
        AdmissionSettings settings = seed % 2 == 0 ? policies : policies.with(FairSharing.ON);
        Engine engine = new Engine(settings);
        RandomLife life = new RandomLife(new RandomWorld(seed));
        List<EngineEvent> events = life.begin();
        for (int step = 0; step < STEPS; step++) {
            events.forEach(event -> engine.apply(event, life.now()));
            life.follow(engine.decide(life.now()));
            events = life.next();
        }
        return new EngineProbe(engine).cost();
    }
}
