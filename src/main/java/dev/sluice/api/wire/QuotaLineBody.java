package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import org.jspecify.annotations.Nullable;

/**
 * One quota line.
 *
 * @param flavor null = {@code default}
 * @param resource a plain resource; or else {@code deviceClass} is given
 * @param counter dimension of the device class that this line counts instead of devices; {@code capacity} is the same
 * @param group lines of one group form a resource group; null = all lines that share a flavor or a resource
 * @param borrowingLimit null = no limit
 * @param lendingLimit null = all of it
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record QuotaLineBody(
        @Nullable String flavor,
        @Nullable String resource,
        @Nullable String deviceClass,
        @Nullable String counter,
        @Nullable String capacity,
        @Nullable String group,

        @JsonDeserialize(using = QuantityText.class) @Nullable String nominal,

        @JsonDeserialize(using = QuantityText.class) @Nullable String borrowingLimit,

        @JsonDeserialize(using = QuantityText.class) @Nullable String lendingLimit) {}
