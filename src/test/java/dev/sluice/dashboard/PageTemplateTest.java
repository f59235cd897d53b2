package dev.sluice.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.overview.FleetOverview;
import dev.sluice.overview.FleetStories;
import dev.sluice.overview.RecentDecisions.Kind;
import dev.sluice.overview.RecentDecisions.Told;
import io.quarkus.qute.Engine;
import io.quarkus.qute.HtmlEscaper;
import io.quarkus.qute.ReflectionValueResolver;
import io.quarkus.qute.Variant;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageTemplateTest {
    private static final List<Told> DECISIONS = List.of(
            new Told(
                    9,
                    FleetStories.NOW,
                    Kind.PREEMPTS,
                    "chat-eu-3 of serving calls back what its queue had lent: sweep-9"
                            + " and sweep-10 of research make room for its 4 GPUs."),
            new Told(
                    8,
                    FleetStories.NOW.minusSeconds(1),
                    Kind.STARTS,
                    "chat-eu-1 and chat-eu-2 of serving start on 8 GPUs" + " in all."),
            new Told(
                    7, FleetStories.NOW.minusSeconds(41), Kind.STARTS, "6 workloads of batch start on 12 GPUs in all."),
            new Told(
                    6,
                    FleetStories.NOW.minusSeconds(82),
                    Kind.STARTS,
                    "10 workloads of research start on 20 GPUs in all," + " 6 of them borrowing from the cohort."),
            new Told(5, FleetStories.NOW.minusSeconds(90), Kind.ENDS, "8 workloads of research finished."),
            new Told(
                    4,
                    FleetStories.NOW.minusSeconds(95),
                    Kind.LEAVES,
                    "sweep-2 of research must leave since a node failed" + " under it."),
            new Told(3, FleetStories.NOW.minusSeconds(99), Kind.FAILS, "tokenize-6 of batch failed: exit code 137."),
            new Told(2, FleetStories.NOW.minusSeconds(120), Kind.CHANGES, "The configuration is now at version 7."));

    private final PageTemplate page = new PageTemplate(template());

    @Test
    void the_first_sentences_say_what_is_in_use_and_who_waits_for_what() throws IOException {
        PageView view = write(FleetStories.fourWait());

        assertThat(view.headline()).isEqualTo("32 of 40 GPUs are in use.");
        assertThat(view.lede())
                .isEqualTo("4 workloads wait: team batch can get no more, since serving keeps 8 to itself.");
        assertThat(look("four-wait", view))
                .contains("<h1>32 of 40 GPUs are in use.</h1>")
                .contains(
                        "Needs 2 GPUs; team batch can get 0 now: nominal 12, used 12; of the cohort&#39;s other 28, 20"
                                + " are in use and serving keeps 8 to itself.");
    }

    @Test
    void a_bar_shows_own_use_what_is_borrowed_and_what_is_lent_in_proportion() throws IOException {
        PageView view = write(FleetStories.oneTeamBorrows());

        PageView.Cell research = view.quotas().rows().get(2).cells().getFirst();
        assertThat(research.segments())
                .containsExactly(
                        new PageView.Segment("own", "0", "25"),
                        new PageView.Segment("borrowed", "25", "37.5"),
                        new PageView.Segment("free", "62.5", "37.5"));
        assertThat(research.tick()).isEqualTo("25");
        PageView.Cell serving = view.quotas().rows().getFirst().cells().getFirst();
        assertThat(serving.segments())
                .containsExactly(new PageView.Segment("free", "0", "20"), new PageView.Segment("lent", "20", "30"));
        assertThat(serving.aria())
                .isEqualTo("serving, GPUs: 0 in use, of its 20 · 12 lent; nominal 20 · never lends 8 · can get 8 more ·"
                        + " limit 40");
        assertThat(look("one-team-borrows", view)).contains("Nobody waits.");
    }

    @Test
    void what_is_set_aside_is_told_apart_from_what_runs() throws IOException {
        PageView view = write(FleetStories.ownerCallsBack());

        assertThat(view.headline()).isEqualTo("40 of 40 GPUs are in use.");
        assertThat(view.lede())
                .startsWith("12 GPUs for serving are set aside until others have left. 7 workloads wait in 2 queues");
        look("owner-calls-back", view);
    }

    @Test
    void rows_are_bounded_and_the_rest_is_counted() throws IOException {
        PageView view = write(FleetStories.muchData());

        assertThat(view.quotas().rows()).hasSize(12);
        assertThat(view.quotas().more()).startsWith("And 988 more queues");
        assertThat(view.waiting().queues()).hasSize(6);
        assertThat(view.waiting().queues())
                .allSatisfy(queue -> assertThat(queue.items()).hasSize(2));
        assertThat(look("much-data", view)).hasSizeLessThan(120_000);
    }

    @Test
    void an_empty_service_says_what_to_do_next() throws IOException {
        assertThat(look("empty", write(FleetStories.empty())))
                .contains("Nothing is set up yet.")
                .contains("./sluice apply -f")
                .doesNotContain("<table");
    }

    @Test
    void a_store_that_is_away_is_told_with_the_age_of_the_figures() throws IOException {
        PageView view =
                write(FleetStories.fourWait()).away("The store has not answered for a while.", FleetStories.NOW);

        assertThat(look("away", view))
                .contains("The store has not answered for a while.")
                .contains("datetime=\"2026-03-02T14:05:12Z\" data-age");
        assertThat(look("never-read", PageView.unread("The store does not answer.", FleetStories.NOW)))
                .contains("No figures yet.");
    }

    @Test
    void names_cannot_smuggle_markup_in() {
        PageView view = write(FleetStories.fourWait());
        PageView hostile = new PageWriter(FleetStories.fourWait())
                .write(List.of(new Told(1, FleetStories.NOW, Kind.STARTS, "<script>alert(1)</script>")), "");
        assertThat(page.page(hostile)).doesNotContain("<script>alert").contains("&lt;script&gt;alert");
        assertThat(page.parts(view)).containsOnlyKeys(PageTemplate.PARTS);
    }

    private static PageView write(FleetOverview fleet) {
        return new PageWriter(fleet)
                .write(
                        fleet.configured() ? DECISIONS : List.of(),
                        "Demo, step b of 4: batch asks for ten jobs of 2 GPUs.");
    }

    /** Written to a file as well, to be looked at in a browser. */
    private String look(String name, PageView view) throws IOException {
        String html = page.page(view);
        Path file = Path.of("target", "pages", name + ".html");
        Files.createDirectories(file.getParent());
        Files.writeString(file, html);
        return html;
    }

    static io.quarkus.qute.Template template() {
        try (var in = PageTemplateTest.class.getResourceAsStream("/templates/dashboard/page.html")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return Engine.builder()
                    .addDefaults()
                    .addValueResolver(new ReflectionValueResolver())
                    .addResultMapper(new HtmlEscaper(List.of(Variant.TEXT_HTML)))
                    .build()
                    .parse(text, Variant.forContentType(Variant.TEXT_HTML));
        } catch (IOException unreadable) {
            throw new java.io.UncheckedIOException(unreadable);
        }
    }
}
