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
        "0,572,800,698,5330",
        "4,502,964,739,3710",
        "8,389,670,596,20623",
        "12,295,409,446,7886",
        "16,289,629,451,5147",
        "20,321,492,471,8061",
        "24,738,1122,845,8540",
        "28,326,266,360,3508",
        "32,818,2601,1241,19683",
        "36,483,903,733,4888",
        "132,617,1260,1057,22543",
        "144,359,687,622,18716",
        "191,608,966,791,8756",
        "313,387,841,645,13212",
        "845,234,446,489,8556",
        "1438,619,1435,894,21060"
    })
    void in_a_crowded_cohort(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(seed, LooksTest::ofCrowd)).isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    @ParameterizedTest
    @CsvSource({
        "0,546,531,1710,15854",
        "8,529,603,1415,33710",
        "16,273,357,795,13408",
        "24,641,667,1274,14086",
        "32,742,1192,1215,17037",
        "132,720,751,2117,52618",
        "144,639,650,1954,50892",
        "313,412,682,1063,15675",
        "845,508,645,1939,31260",
        "1438,745,747,2298,47208"
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
        "4,417,806,2089,35259",
        "8,234,770,2225,31877",
        "12,152,355,750,8788",
        "16,340,759,2803,66158",
        "20,398,712,835,6096",
        "24,247,488,1482,29669",
        "28,142,255,754,13051",
        "32,209,347,1309,3439",
        "36,375,597,1511,16408",
        "40,304,629,1489,19362",
        "44,292,272,1051,10467",
        "48,273,310,994,6799",
        "52,282,536,2580,26653",
        "56,375,776,1308,30848",
        "60,181,421,1701,17968"
    })
    void in_any_world(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(seed, world -> ofWorld(world, AdmissionSettings.defaults())))
                .isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    @ParameterizedTest
    @CsvSource({
        "100,371,721,2960,94595",
        "104,391,552,2799,94659",
        "108,229,405,2062,20514",
        "112,249,331,1291,26893",
        "116,356,518,1965,46640",
        "120,337,427,1721,24054",
        "124,350,517,1629,33825",
        "128,337,1097,1567,16969",
        "132,273,458,885,19481",
        "136,167,264,1389,9014",
        "140,251,352,2547,38453",
        "144,233,301,825,18812"
    })
    void where_fronts_keep_their_room(long seed, long queues, long lanes, long nominations, long writes) {
        assertThat(together(
                        seed,
                        world -> ofWorld(world, AdmissionSettings.defaults().with(QUICK_GUARD))))
                .isEqualTo(new Cost(queues, lanes, nominations, writes));
    }

    @ParameterizedTest
    @CsvSource({
        "200,284,583,1128,10934",
        "204,304,425,1321,23816",
        "208,251,662,1289,22429",
        "212,338,765,1922,23548",
        "216,319,727,1964,48099",
        "220,199,90,1667,18182"
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
        "32,970,5400",
        "36,1445,32779",
        "40,999,8588",
        "44,1165,19669",
        "48,1602,25784",
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
