package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import dev.sluice.workload.Assignment;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * What a workload costs at a queue: each line once, by line number, with the amount of all its pods. Amounts may be zero: a
 * zero request still names its flavor.
 */
final class Charge {
    private final int queue;
    private final int[] lines;
    private final long[] amounts;

    Charge(int queue, int[] lines, long[] amounts) {
        this.queue = queue;
        this.lines = lines;
        this.amounts = amounts;
    }

    int queue() {
        return queue;
    }

    int[] lines() {
        return lines;
    }

    long[] amounts() {
        return amounts;
    }

    static Charge of(Assignment assignment, QuotaTree tree) {
        Map<Integer, Long> byLine = new TreeMap<>();
        for (Assignment.PodSetAssignment podSet : assignment.podSets()) {
            podSet.flavors().forEach((resource, flavor) -> {
                long amount = podSet.usage().getOrDefault(resource, 0L);
                byLine.merge(tree.line(flavor, resource), amount, Amounts::add);
            });
        }
        return of(tree.queue(assignment.clusterQueue()), byLine);
    }

    static Charge of(int queue, Map<Integer, Long> byLine) {
        int[] lines = new int[byLine.size()];
        int count = 0;
        for (int line : byLine.keySet()) {
            lines[count++] = line;
        }
        Arrays.sort(lines);
        long[] amounts = new long[lines.length];
        for (int index = 0; index < lines.length; index++) {
            amounts[index] = byLine.getOrDefault(lines[index], 0L);
        }
        return new Charge(queue, lines, amounts);
    }

    void addTo(Ledger ledger) {
        for (int index = 0; index < lines.length; index++) {
            if (amounts[index] != 0) {
                ledger.charge(queue, lines[index], amounts[index]);
            }
        }
    }

    void removeFrom(Ledger ledger) {
        for (int index = 0; index < lines.length; index++) {
            if (amounts[index] != 0) {
                ledger.release(queue, lines[index], amounts[index]);
            }
        }
    }

    boolean fits(Ledger ledger) {
        for (int index = 0; index < lines.length; index++) {
            if (amounts[index] > ledger.availableToQueue(queue, lines[index])) {
                return false;
            }
        }
        return true;
    }

    /** The lines of which it asks for more than there is. */
    int[] notFitting(Ledger ledger) {
        return Arrays.stream(lines)
                .filter(line -> amount(line) > ledger.availableToQueue(queue, line))
                .toArray();
    }

    /** Without the lines of which it asks for nothing. */
    Charge withoutZeros() {
        return only(line -> amount(line) != 0);
    }

    /** What it costs of some lines. */
    Charge only(IntPredicate someLines) {
        if (Arrays.stream(lines).allMatch(someLines)) {
            return this;
        }
        int[] kept = Arrays.stream(lines).filter(someLines).toArray();
        return new Charge(
                queue, kept, Arrays.stream(kept).mapToLong(this::amount).toArray());
    }

    /** Whether it would not fit within the queue's own quota. */
    boolean wouldBorrow(Ledger ledger) {
        for (int index = 0; index < lines.length; index++) {
            if (ledger.wouldBorrow(queue, lines[index], amounts[index])) {
                return true;
            }
        }
        return false;
    }

    /** Whether its queue would use more than its quota of anything that is asked for. */
    boolean wouldBorrowAny(Ledger ledger) {
        for (int index = 0; index < lines.length; index++) {
            if (amounts[index] > 0 && ledger.wouldBorrow(queue, lines[index], amounts[index])) {
                return true;
            }
        }
        return false;
    }

    /** What share its queue would have with it. */
    Share share(Ledger ledger) {
        return Share.of(ledger, queue, lines, amounts);
    }

    /** What share its queue would have without it. */
    Share shareWithout(Ledger ledger) {
        return Share.of(
                ledger,
                queue,
                lines,
                Arrays.stream(amounts).map(amount -> -amount).toArray());
    }

    /** Whether a node that has a parent uses more than its quota of anything that this charge asks for. */
    boolean isBorrowedAt(Ledger ledger, int node) {
        for (int index = 0; index < lines.length; index++) {
            if (amounts[index] > 0 && ledger.isBorrowing(node, lines[index])) {
                return true;
            }
        }
        return false;
    }

    /** Whether it is less than an earlier charge of the same lines on any of them. */
    boolean frees(Charge earlier) {
        for (int index = 0; index < lines.length; index++) {
            if (amounts[index] < earlier.amount(lines[index])) {
                return true;
            }
        }
        return false;
    }

    boolean uses(int[] someLines) {
        for (int line : someLines) {
            if (indexOf(line) >= 0) {
                return true;
            }
        }
        return false;
    }

    long amount(int line) {
        int index = indexOf(line);
        return index < 0 ? 0 : amounts[index];
    }

    /** One after the other: of the few lines that a workload asks for, the first is mostly the one. */
    private int indexOf(int line) {
        for (int index = 0; index < lines.length; index++) {
            if (lines[index] == line) {
                return index;
            }
        }
        return -1;
    }
}
