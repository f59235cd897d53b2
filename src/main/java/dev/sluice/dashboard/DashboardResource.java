package dev.sluice.dashboard;

import dev.sluice.overview.Announcement;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.EventLogReader;
import dev.sluice.overview.RecentDecisions;
import dev.sluice.overview.WorkloadReader;
import io.quarkus.qute.Location;
import io.quarkus.qute.Template;
import io.smallrye.mutiny.Multi;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import java.time.Clock;
import java.time.Duration;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** The live page, its stream of changes, and the same parts for a browser that cannot keep a stream open. */
@Path("/")
@Singleton
public class DashboardResource {
    /** A page with old figures now is worth more than one with fresh figures later. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final PageTemplate template;
    private final LivePage page;
    private final DashboardStream stream;

    DashboardResource(
            @Location("dashboard/page.html") Template html,
            EngineReader engine,
            EventLogReader log,
            WorkloadReader workloads,
            Announcement announcement) {
        this.template = new PageTemplate(html);
        this.page =
                new LivePage(engine, new RecentDecisions(log, workloads), announcement, template, Clock.systemUTC());
        this.stream = new DashboardStream(page, Clock.systemUTC());
    }

    @GET
    @Produces(MediaType.TEXT_HTML)
    @Operation(hidden = true)
    public String page() {
        return template.page(page.read(PATIENCE).view());
    }

    @GET
    @Path("live")
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @Operation(hidden = true)
    public Multi<OutboundSseEvent> live(@Context Sse sse) {
        return stream.watch()
                .map(change -> sse.newEventBuilder()
                        .name(change.part())
                        .mediaType(MediaType.TEXT_PLAIN_TYPE)
                        .data(String.class, change.html())
                        .build());
    }

    @GET
    @Path("live/fragments")
    @Produces(MediaType.TEXT_HTML)
    @Operation(hidden = true)
    public String fragments() {
        StringBuilder html = new StringBuilder();
        page.read(PATIENCE)
                .parts()
                .forEach((part, inner) -> html.append("<template id=\"new-")
                        .append(part)
                        .append("\">")
                        .append(inner)
                        .append("</template>"));
        return html.toString();
    }

    @PreDestroy
    void stop() {
        stream.close();
        page.close();
    }
}
