package dev.sluice.dashboard;

import io.quarkus.qute.Template;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes a view down as HTML: the whole page, or each part of it that is swapped by itself when it changes. */
final class PageTemplate {
    /** Ids of the elements that are swapped, and names of the template's fragments. */
    static final List<String> PARTS = List.of("problem", "summary", "note", "quotas", "waiting", "decisions", "asof");

    private final Template template;

    PageTemplate(Template template) {
        this.template = template;
    }

    String page(PageView view) {
        return template.data("view", view).render();
    }

    /** Part to its inner HTML, in the order of the page. */
    Map<String, String> parts(PageView view) {
        Map<String, String> parts = new LinkedHashMap<>();
        for (String part : PARTS) {
            parts.put(
                    part, template.getFragment(part).data("view", view).render().strip());
        }
        return Collections.unmodifiableMap(parts);
    }
}
