package dev.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("core")
class NearestNamesTest {
    @ParameterizedTest
    @CsvSource({
        "'', '', 0",
        "a, a, 0",
        "a, b, 1",
        "'', abc, 3",
        "abc, '', 3",
        "kitten, sitting, 3",
        "flaw, lawn, 2",
        "abc, abcd, 1",
        "abcd, bcd, 1",
        "gumbo, gambol, 2",
    })
    void the_distance_is_the_number_of_edits(String left, String right, int edits) {
        assertThat(NearestNames.distance(left, right)).isEqualTo(edits);
    }

    @Test
    void only_the_first_64_characters_are_compared() {
        String long64 = "a".repeat(64);

        assertThat(NearestNames.distance(long64 + "x", long64 + "yz")).isZero();
        assertThat(NearestNames.distance(long64.substring(1) + "x", long64)).isEqualTo(1);
    }

    @Test
    void a_third_of_the_letters_may_differ_and_two_always() {
        assertThat(NearestNames.of("ab", List.of("xy", "wxyz"))).containsExactly("xy");
        assertThat(NearestNames.of("abcdefghi", List.of("abcdefxyz", "abcdewxyz")))
                .containsExactly("abcdefxyz");
    }

    @Test
    void a_name_that_holds_the_other_is_near_if_there_is_enough_to_hold() {
        assertThat(NearestNames.of("gpu", List.of("team-gpu-large"))).containsExactly("team-gpu-large");
        assertThat(NearestNames.of("team-gpu-large", List.of("gpu"))).containsExactly("gpu");
        assertThat(NearestNames.of("gp", List.of("team-gpu-large"))).isEmpty();
        assertThat(NearestNames.of("team-gpu-large", List.of("gp"))).isEmpty();
    }

    @Test
    void the_closest_come_first_then_by_name_and_there_are_three_at_most() {
        assertThat(NearestNames.of("team-a", List.of("team-cc", "team-c", "team-b", "team-a")))
                .containsExactly("team-a", "team-b", "team-c");
    }

    @Test
    void of_very_many_names_only_the_first_are_looked_at() {
        List<String> many = Stream.concat(
                        IntStream.range(0, 5_000).mapToObj(number -> "other-and-far-away-" + number),
                        Stream.of("team-a"))
                .toList();

        assertThat(NearestNames.of("team-a", many)).isEmpty();
        assertThat(NearestNames.of("team-a", many.subList(1, many.size()))).containsExactly("team-a");
    }
}
