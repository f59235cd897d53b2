package dev.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As Kubernetes' own validation has it. */
@Tag("core")
class KubernetesNamesTest {
    @Test
    void a_label_has_at_most_63_characters_and_a_dns_name_253() {
        assertThat(KubernetesNames.isLabel("a")).isTrue();
        assertThat(KubernetesNames.isLabel("a".repeat(63))).isTrue();
        assertThat(KubernetesNames.isLabel("a".repeat(64))).isFalse();
        assertThat(KubernetesNames.isLabel("a.b")).isFalse();
        assertThat(KubernetesNames.isSubdomain("a.b-c.9")).isTrue();
        assertThat(KubernetesNames.isSubdomain("a".repeat(253))).isTrue();
        assertThat(KubernetesNames.isSubdomain("a".repeat(254))).isFalse();
        assertThat(KubernetesNames.isSubdomain("a..b")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tier", "App_1.x", "example.com/tier", "a/b"})
    void a_label_key_is_a_name_with_or_without_a_domain(String key) {
        assertThat(KubernetesNames.isLabelKey(key)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/tier", "example.com/", "Example.com/tier", "a/b/c", "-a", "a_", "ex_ample/tier"})
    void anything_else_is_no_label_key(String key) {
        assertThat(KubernetesNames.isLabelKey(key)).isFalse();
    }

    @Test
    void a_label_value_may_be_empty() {
        assertThat(KubernetesNames.isLabelValue("")).isTrue();
        assertThat(KubernetesNames.isLabelValue("A-1")).isTrue();
        assertThat(KubernetesNames.isLabelValue("a b")).isFalse();
        assertThat(KubernetesNames.isLabelValue("a".repeat(64))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cpu",
                "nvidia.com/gpu",
                "deviceclass/gpu.nvidia.com",
                "deviceclass/gpu.nvidia.com/memory",
                "deviceclass/gpu.nvidia.com/example.com/memory"
            })
    void resources_are_plain_or_of_a_device_class(String resource) {
        assertThat(KubernetesNames.isResource(resource)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a/b/c",
                "deviceclass/",
                "deviceclass/GPU",
                "deviceclass/GPU/memory",
                "deviceclass/gpu/",
                "deviceclass//x"
            })
    void anything_else_is_no_resource(String resource) {
        assertThat(KubernetesNames.isResource(resource)).isFalse();
    }
}
