package dev.sluice.security;

import io.smallrye.config.ConfigMapping;
import java.util.Optional;

/** {@code sluice.security.*}: who may use the service. */
@ConfigMapping(prefix = "sluice.security")
public interface SecurityConfig {
    /** What every caller must show; without one the service is open, and listens on loopback only. */
    Optional<String> token();
}
