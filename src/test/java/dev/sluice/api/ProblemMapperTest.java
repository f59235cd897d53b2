package dev.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.api.wire.ProblemResponse;
import dev.sluice.scheduling.StoreUnavailable;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class ProblemMapperTest {
    private final ProblemMapper mapper = new ProblemMapper();

    @Test
    void a_store_that_is_away_is_told_with_when_to_try_again() {
        StoreUnavailable away = new StoreUnavailable("connection to db-7.internal refused", null);

        for (Response response : new Response[] {
            mapper.unavailable(away, at("/api/v1/workloads")),
            mapper.fault(new CompletionException(away), at("/api/v1/workloads"))
        }) {
            assertThat(response.getStatus()).isEqualTo(503);
            assertThat(response.getHeaderString("Retry-After")).isEqualTo("1");
            assertThat(problem(response).detail()).doesNotContain("db-7.internal");
            assertThat(problem(response).type()).isEqualTo("https://sluice.dev/problems/unavailable");
        }
    }

    @Test
    void a_fault_of_the_service_is_told_by_a_correlation_id_alone() {
        Response response = mapper.fault(new IllegalStateException("secret of the inside"), at("/api/v1/usage"));

        assertThat(response.getStatus()).isEqualTo(500);
        assertThat(problem(response).correlationId()).isNotBlank();
        assertThat(problem(response).instance()).isEqualTo("/api/v1/usage");
        assertThat(problem(response).toString()).doesNotContain("secret", "IllegalState");
    }

    private static ProblemResponse problem(Response response) {
        return (ProblemResponse) response.getEntity();
    }

    private static UriInfo at(String path) {
        return (UriInfo) Proxy.newProxyInstance(
                UriInfo.class.getClassLoader(),
                new Class<?>[] {UriInfo.class},
                (proxy, method, arguments) -> URI.create("http://localhost" + path));
    }
}
