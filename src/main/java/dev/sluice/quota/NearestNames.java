package dev.sluice.quota;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Names that somebody may have meant: those few edits away, closest first, then by name. */
public final class NearestNames {
    private static final int NEAREST_MAX = 3;
    private static final int CANDIDATES_MAX = 5_000;

    private NearestNames() {}

    /** At most three; a name counts as near when at most a third of its letters (and at least two) differ, or one holds the other. */
    public static List<String> of(String wanted, Collection<String> valid) {
        record Candidate(String name, int distance) {}
        return valid.stream()
                .limit(CANDIDATES_MAX)
                .map(name -> new Candidate(name, distance(wanted, name)))
                .filter(candidate -> candidate.distance() <= Math.max(2, wanted.length() / 3)
                        || (wanted.length() >= 3 && candidate.name().contains(wanted))
                        || (candidate.name().length() >= 3 && wanted.contains(candidate.name())))
                .sorted(Comparator.comparingInt(Candidate::distance).thenComparing(Candidate::name))
                .limit(NEAREST_MAX)
                .map(Candidate::name)
                .toList();
    }

    /** Levenshtein distance, on texts cut to 64 characters. */
    static int distance(String left, String right) {
        String from = left.substring(0, Math.min(left.length(), 64));
        String to = right.substring(0, Math.min(right.length(), 64));
        int[] costs = new int[to.length() + 1];
        for (int column = 0; column <= to.length(); column++) {
            costs[column] = column;
        }
        for (int row = 1; row <= from.length(); row++) {
            int diagonal = costs[0];
            costs[0] = row;
            for (int column = 1; column <= to.length(); column++) {
                int substitute = diagonal + (from.charAt(row - 1) == to.charAt(column - 1) ? 0 : 1);
                diagonal = costs[column];
                costs[column] = Math.min(substitute, 1 + Math.min(costs[column], costs[column - 1]));
            }
        }
        return costs[to.length()];
    }
}
