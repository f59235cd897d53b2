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
        "0,744,819,706,6398",
        "4,789,995,744,4776",
        "8,688,720,602,22625",
        "12,596,444,447,9674",
        "16,553,666,456,6795",
        "20,608,536,473,9164",
        "24,819,1134,858,8516",
        "28,533,305,361,4314",
        "32,950,2617,1241,20203",
        "36,800,941,734,5812",
        "132,833,1339,1085,22823",
        "144,728,770,627,20061",
        "191,833,1003,795,9122",
        "313,802,901,654,15270",
        "845,704,522,493,10772",
        "1438,857,1501,907,21198"
    })
    void in_a_crowded_cohort(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(seed, LooksTest::ofCrowd)).isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    private static Cost together(long seed, LongFunction<Cost> ofOne) {
        return LongStream.range(seed, seed + WORLDS).mapToObj(ofOne).reduce(new Cost(0, 0, 0, 0), Cost::plus);
    }

    private static Cost ofCrowd(long seed) {
        CrowdedCohort crowd = new CrowdedCohort(seed);
        Engine engine = new Engine(crowd.settings());
        crowd.live((events, now) -> {
            events.forEach(event -> engine.apply(event, now));
            return engine.decide(now);
        });
        return new EngineProbe(engine).cost();
    }

    @ParameterizedTest
    @CsvSource({
        "0,303,331,504,7082",
        "4,377,618,1928,33990",
        "8,259,734,2264,33024",
        "12,164,368,750,9034",
        "16,342,773,2803,67810",
        "20,398,712,835,6217",
        "24,246,484,1493,30963",
        "28,143,257,754,12710",
        "32,228,347,1309,3496",
        "36,375,597,1511,17321",
        "40,340,633,1501,20175",
        "44,344,272,1051,10722",
        "48,286,305,1011,7250",
        "52,318,488,2727,28172",
        "56,375,782,1306,31083",
        "60,219,415,1705,18156"
    })
    void in_any_world(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(seed, world -> ofWorld(world, AdmissionSettings.defaults())))
                .isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    @ParameterizedTest
    @CsvSource({
        "100,377,757,3512,111841",
        "104,393,382,3034,106826",
        "108,274,349,2256,21737",
        "112,255,315,1367,29797",
        "116,348,507,2248,52292",
        "120,334,464,1988,26402",
        "124,345,461,1799,38430",
        "128,339,584,1777,19442",
        "132,273,287,1010,22140",
        "136,264,170,1417,10294",
        "140,254,333,2632,43639",
        "144,236,226,962,21345"
    })
    void where_fronts_keep_their_room(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(
                        seed,
                        world -> ofWorld(world, AdmissionSettings.defaults().with(QUICK_GUARD))))
                .isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    @ParameterizedTest
    @CsvSource({
        "200,287,490,1065,9214",
        "204,309,449,1332,24139",
        "208,230,626,1270,21544",
        "212,377,684,1908,23882",
        "216,309,707,2047,52295",
        "220,179,81,1658,18038"
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
        "0,799,17358",
        "4,1789,50869",
        "8,1409,28953",
        "12,656,8754",
        "16,1283,38308",
        "20,1035,19653",
        "24,962,24383",
        "28,539,8316",
        "32,970,5626",
        "36,1445,33543",
        "40,999,9073",
        "44,1165,21271",
        "48,1602,26850",
        "52,1452,41561",
        "56,1052,21410",
        "60,1017,14849"
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
