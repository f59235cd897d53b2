/** REST as its callers see it, over a started service and PostgreSQL. */
@NullMarked
package dev.sluice.api;

import org.jspecify.annotations.NullMarked;
