package dev.sluice.quota;

import org.jspecify.annotations.Nullable;

/**
 * One quota line inside a flavor: what a node of the tree owns of a resource and how far it may borrow and lend.
 *
 * @param resource a plain resource name, or {@code deviceclass/<class>[/<counter>]}
 * @param borrowingLimit most above nominal; null = no limit
 * @param lendingLimit most of the unused nominal that others may use; null = all of it
 */
public record ResourceQuota(
        String resource,
        Quantity nominal,
        @Nullable Quantity borrowingLimit,
        @Nullable Quantity lendingLimit) {}
