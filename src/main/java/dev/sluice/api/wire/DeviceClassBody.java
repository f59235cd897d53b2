package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.DeviceClass;
import org.jspecify.annotations.Nullable;

/** A DeviceClass; pods that ask for its extended resource draw from its line. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DeviceClassBody(
        @Nullable String name, @Nullable String extendedResourceName) {
    public DeviceClass deviceClass(String key) {
        return new DeviceClass(key, ClusterQueueBody.emptyIsNull(extendedResourceName));
    }

    public static DeviceClassBody of(DeviceClass deviceClass) {
        return new DeviceClassBody(deviceClass.name(), deviceClass.extendedResourceName());
    }
}
