package dev.sluice.api;

import jakarta.ws.rs.core.SecurityContext;
import java.security.Principal;

/** Who asks, for the audit and for the scope of idempotency keys. */
final class Callers {
    private static final String ANONYMOUS = "anonymous";

    private Callers() {}

    static String of(SecurityContext security) {
        Principal principal = security.getUserPrincipal();
        return principal == null || principal.getName() == null ? ANONYMOUS : principal.getName();
    }
}
