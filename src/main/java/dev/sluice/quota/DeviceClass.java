package dev.sluice.quota;

import org.jspecify.annotations.Nullable;

/**
 * A DeviceClass as far as quota lines name it.
 *
 * @param extendedResourceName a pod that asks for this resource draws from the class's line; null = none
 */
public record DeviceClass(String name, @Nullable String extendedResourceName) {}
