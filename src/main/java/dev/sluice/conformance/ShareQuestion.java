package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import dev.sluice.quota.ShareArithmetic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Vectors about dominant resource shares, and about their order. */
final class ShareQuestion {
    private static final String COHORT = "cohort:";
    private static final double RELATIVE_ERROR_MOST = 1e-9;

    private final VectorWorld world;

    ShareQuestion(VectorWorld world) {
        this.world = world;
    }

    Verdict judge(JsonNode expect) {
        QuotaTree tree = QuotaTree.of(world.configuration(), ShareArithmetic.DOUBLE);
        Ledger ledger = new Ledger(tree);
        LedgerQuestions.charge(ledger, world.input().path("usage"));
        LedgerQuestions.charge(ledger, world.input().path("extra"));
        Comparison comparison = new Comparison();
        SortedMap<String, Share> shares = new TreeMap<>();
        VectorWorld.fields(expect.path("shares")).forEach((name, expected) -> {
            Share share = Share.of(ledger, node(tree, name));
            shares.put(name, share);
            compare(comparison, name, expected, share);
        });
        comparison.same("order", expectedOrder(expect.path("order")), order(shares));
        return comparison.verdict();
    }

    private static int node(QuotaTree tree, String name) {
        return name.startsWith(COHORT) ? tree.cohort(name.substring(COHORT.length())) : tree.queue(name);
    }

    private static void compare(Comparison comparison, String name, JsonNode expected, Share share) {
        String resource = share.dominantResource();
        comparison.same(name + " borrowing", expected.path("borrowing").asBoolean(), share.isBorrowing());
        comparison.same(name + " dominant", expected.path("dominant").asText(), resource == null ? "" : resource);
        comparison.same(
                name + " rounded",
                expected.path("rounded").asText(),
                share.isInfinite() ? "inf" : Long.toString(rounded(share)));
        String exact = expected.path("share").asText();
        double value = exact.equals("inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(exact);
        boolean close = share.value() == value || Math.abs(share.value() - value) <= RELATIVE_ERROR_MOST * value;
        comparison.same(name + " share", exact, close ? exact : Double.toString(share.value()));
    }

    /** A share beyond 64 bits is the smallest number in Kueue, by what its processors make of such a conversion. */
    private static long rounded(Share share) {
        return share.value() >= 0x1p63 ? Long.MIN_VALUE : share.rounded();
    }

    private static List<Object> expectedOrder(JsonNode groups) {
        List<Object> order = new ArrayList<>();
        groups.forEach(group -> order.add(new TreeSet<>(VectorWorld.texts(group))));
        return order;
    }

    /** From the lowest share to the highest, equals together. */
    private static List<Object> order(Map<String, Share> shares) {
        SortedMap<Share, TreeSet<String>> groups = new TreeMap<>();
        shares.forEach((name, share) ->
                groups.computeIfAbsent(share, key -> new TreeSet<>()).add(name));
        return new ArrayList<>(groups.values());
    }
}
