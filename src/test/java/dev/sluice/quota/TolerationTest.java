package dev.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As Kubernetes reads tolerations and taints. */
@Tag("core")
class TolerationTest {
    @ParameterizedTest
    @CsvSource({
        // key, operator, value, effect: of a toleration of the taint gpu=h100:NoSchedule
        "gpu, Equal, h100, NoSchedule, true",
        "gpu, '', h100, '', true",
        "gpu, Equal, a100, NoSchedule, false",
        "gpu, Exists, '', NoSchedule, true",
        "gpu, Exists, '', NoExecute, false",
        "other, Exists, '', NoSchedule, false",
        "'', Exists, '', '', true",
        "'', Exists, '', NoExecute, false",
        "'', Equal, h100, '', false",
    })
    void a_toleration_is_of_a_key_a_value_and_an_effect(
            String key, String operator, String value, String effect, boolean tolerated) {
        assertThat(new Toleration(key, operator, value, effect).tolerates(new Taint("gpu", "h100", "NoSchedule")))
                .isEqualTo(tolerated);
    }

    @ParameterizedTest
    @CsvSource({"NoSchedule, true", "NoExecute, true", "PreferNoSchedule, false"})
    void only_hard_taints_keep_work_away(String effect, boolean repels) {
        assertThat(new Taint("gpu", "", effect).repels()).isEqualTo(repels);
    }

    private static List<TolerationRules.Broken> check(Toleration toleration) {
        return TolerationRules.check("t", toleration);
    }

    @Test
    void what_kubernetes_accepts_is_accepted() {
        assertThat(check(new Toleration("gpu", "Equal", "h100", "NoSchedule"))).isEmpty();
        assertThat(check(new Toleration("gpu", "", "", ""))).isEmpty();
        assertThat(check(new Toleration("", "Exists", "", "PreferNoSchedule"))).isEmpty();
        assertThat(check(new Toleration("gpu", "Exists", "", "NoExecute", 30L))).isEmpty();
    }

    @Test
    void what_kubernetes_refuses_is_refused_field_by_field() {
        assertThat(check(new Toleration("no key", "Equal", "", "")))
                .extracting(TolerationRules.Broken::field, TolerationRules.Broken::value)
                .containsExactly(tuple("t.key", "no key"));
        assertThat(check(new Toleration("gpu", "Like", "", "")))
                .extracting(TolerationRules.Broken::field, TolerationRules.Broken::rule)
                .containsExactly(tuple("t.operator", "must be Equal or Exists"));
        assertThat(check(new Toleration("", "Equal", "", "")))
                .extracting(TolerationRules.Broken::field, TolerationRules.Broken::rule)
                .containsExactly(tuple("t.operator", "must be Exists when the key is empty"));
        assertThat(check(new Toleration("gpu", "Exists", "h100", "")))
                .extracting(TolerationRules.Broken::field, TolerationRules.Broken::rule)
                .containsExactly(tuple("t.value", "must be empty when the operator is Exists"));
        assertThat(check(new Toleration("gpu", "Exists", "", "Never")))
                .extracting(TolerationRules.Broken::field, TolerationRules.Broken::rule)
                .containsExactly(tuple("t.effect", "must be NoSchedule, PreferNoSchedule or NoExecute"));
        assertThat(check(new Toleration("gpu", "Exists", "", "NoSchedule", 30L)))
                .extracting(TolerationRules.Broken::field, TolerationRules.Broken::value, TolerationRules.Broken::rule)
                .containsExactly(tuple("t.tolerationSeconds", "30", "must be left out unless the effect is NoExecute"));
    }
}
