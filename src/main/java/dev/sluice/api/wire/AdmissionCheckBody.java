package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.AdmissionCheck;
import org.jspecify.annotations.Nullable;

/** A check that stands between quota and start. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AdmissionCheckBody(
        @Nullable String name,
        @Nullable String controllerName,
        @Nullable ParametersBody parameters) {
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ParametersBody(
            @Nullable String apiGroup,
            @Nullable String kind,
            @Nullable String name) {}

    /** @param place what stands before the fields' names, such as {@code spec.} */
    public AdmissionCheck admissionCheck(String key, String place, Mistakes mistakes) {
        String controller = mistakes.required(place + "controllerName", controllerName);
        AdmissionCheck.Parameters given = null;
        if (parameters != null) {
            String group = mistakes.required(place + "parameters.apiGroup", parameters.apiGroup());
            String kind = mistakes.required(place + "parameters.kind", parameters.kind());
            String object = mistakes.required(place + "parameters.name", parameters.name());
            given = new AdmissionCheck.Parameters(
                    group == null ? "" : group, kind == null ? "" : kind, object == null ? "" : object);
        }
        return new AdmissionCheck(key, controller == null ? "" : controller, given);
    }

    public static AdmissionCheckBody of(AdmissionCheck check) {
        AdmissionCheckBody spec = specification(check);
        return new AdmissionCheckBody(check.name(), spec.controllerName(), spec.parameters());
    }

    /** Without the name, as it stands under {@code spec} in Kueue's shape. */
    public static AdmissionCheckBody specification(AdmissionCheck check) {
        AdmissionCheck.Parameters parameters = check.parameters();
        return new AdmissionCheckBody(
                null,
                check.controllerName(),
                parameters == null
                        ? null
                        : new ParametersBody(parameters.apiGroup(), parameters.kind(), parameters.name()));
    }
}
