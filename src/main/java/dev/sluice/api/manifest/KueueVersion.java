package dev.sluice.api.manifest;

import dev.sluice.api.wire.Mistakes;
import dev.sluice.api.wire.ProblemKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Versions of Kueue's API group that are taken. */
enum KueueVersion {
    V1BETA1("kueue.x-k8s.io/v1beta1"),
    V1BETA2("kueue.x-k8s.io/v1beta2");

    static final String GROUP = "kueue.x-k8s.io/";

    private final String apiVersion;

    KueueVersion(String apiVersion) {
        this.apiVersion = apiVersion;
    }

    String apiVersion() {
        return apiVersion;
    }

    static @Nullable KueueVersion of(String apiVersion) {
        for (KueueVersion version : values()) {
            if (version.apiVersion.equals(apiVersion)) {
                return version;
            }
        }
        return null;
    }

    /** The value of a field that v1beta2 renamed. In the other version the name is not known. */
    @Nullable String renamed(
            String oldField, @Nullable String oldValue, String newField, @Nullable String newValue, Mistakes mistakes) {
        boolean old = this == V1BETA1;
        String wrong = old ? newValue : oldValue;
        if (wrong != null) {
            mistakes.add(
                    ProblemKind.UNKNOWN_FIELD,
                    "spec." + (old ? newField : oldField),
                    wrong,
                    "is not known in " + apiVersion,
                    List.of("spec." + (old ? oldField : newField)));
        }
        String value = old ? oldValue : newValue;
        return value == null || value.isEmpty() ? null : value;
    }
}
