package dev.sluice.api.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param next where the next page begins, given as {@code after}; null = there is none
 */
public record PageResponse<T>(List<T> items, @Nullable String next) {}
