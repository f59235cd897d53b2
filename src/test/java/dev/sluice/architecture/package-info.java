/**
 * The rules of structure, as tests: which package may know which, what the pure core must not touch, how things are named. Each
 * rule is also run against classes planted to break it, under {@code src/test/resources/planted}, so that a rule that cannot
 * fail is found. Start at {@link dev.sluice.architecture.ArchitectureRules}.
 */
@NullMarked
package dev.sluice.architecture;

import org.jspecify.annotations.NullMarked;
