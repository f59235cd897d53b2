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
        "0,728,819,706,6318",
        "4,775,995,744,4732",
        "8,677,720,602,22553",
        "12,590,444,447,9650",
        "16,544,666,456,6745",
        "20,599,536,473,9152",
        "24,813,1134,858,8500",
        "28,521,305,361,4266",
        "32,949,2617,1241,20199",
        "36,778,941,734,5768",
        "132,821,1339,1085,22783",
        "144,718,770,627,20005",
        "191,828,1003,795,9102",
        "313,793,901,654,15228",
        "845,679,522,493,10646",
        "1438,837,1501,907,21198"
    })
    void in_a_crowded_cohort(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(seed, LooksTest::ofCrowd)).isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    @ParameterizedTest
    @CsvSource({
        "0,706,536,1717,19068",
        "8,817,595,1424,40227",
        "16,559,382,800,15231",
        "24,723,599,1283,15386",
        "32,937,892,1221,18167",
        "132,858,700,2138,56843",
        "144,991,710,1971,56888",
        "313,865,670,1096,20013",
        "845,860,651,1945,37018",
        "1438,943,793,2313,53348"
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
        "0,303,331,504,7082",
        "4,434,806,2089,36610",
        "8,262,787,2225,32326",
        "12,164,368,750,9034",
        "16,342,773,2803,67810",
        "20,398,712,835,6217",
        "24,247,488,1482,30771",
        "28,143,257,754,12710",
        "32,228,347,1309,3496",
        "36,375,597,1511,17321",
        "40,336,633,1489,19861",
        "44,341,272,1051,10722",
        "48,289,310,994,7151",
        "52,330,536,2580,27175",
        "56,379,793,1308,31099",
        "60,222,421,1701,18032"
    })
    void in_any_world(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(seed, world -> ofWorld(world, AdmissionSettings.defaults())))
                .isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    @ParameterizedTest
    @CsvSource({
        "100,404,515,2963,97140",
        "104,391,351,2800,95747",
        "108,292,322,2062,20718",
        "112,261,297,1291,27728",
        "116,356,369,1965,48240",
        "120,337,282,1721,25178",
        "124,350,308,1629,34766",
        "128,337,504,1567,17240",
        "132,273,250,885,19970",
        "136,283,225,1389,10204",
        "140,262,262,2547,40137",
        "144,233,173,825,18744"
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
        "204,309,452,1321,23963",
        "208,230,626,1270,21528",
        "212,389,727,1921,23886",
        "216,309,708,1957,49281",
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
        "40,999,9013",
        "44,1165,21223",
        "48,1602,26842",
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
