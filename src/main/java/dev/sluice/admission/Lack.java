package dev.sluice.admission;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was not free for one that could not start: on every flavor of some group at least one line. Whoever has no higher priority and
 * demands at least as much on all these lines could not start either, but for whom it might preempt.
 *
 * @param priority of the one that could not start
 * @param lines numbers among the lines of the queue
 * @param amounts demanded of each
 */
record Lack(int priority, List<Integer> lines, List<Long> amounts) {
    /** Null = each group has a flavor of which enough is free: why it could not start cannot be told line by line. */
    static @Nullable Lack of(Demand demand, CompiledQueue queue, Reach reach) {
        List<Integer> lines = new ArrayList<>();
        List<Long> amounts = new ArrayList<>();
        int index = 0;
        for (CompiledQueue.Group group : queue.groups()) {
            List<Integer> ofGroup = new ArrayList<>();
            boolean everyFlavor = true;
            for (int[] flavor : group.lines()) {
                int before = ofGroup.size();
                for (int line : flavor) {
                    if (demand.whole()[index] > reach.free(index, line)) {
                        ofGroup.add(index);
                    }
                    index++;
                }
                everyFlavor &= ofGroup.size() > before;
            }
            if (everyFlavor) {
                ofGroup.forEach(each -> {
                    lines.add(each);
                    amounts.add(demand.whole()[each]);
                });
            }
        }
        return lines.isEmpty() ? null : new Lack(demand.priority(), lines, amounts);
    }

    /** Whether one of whom this is demanded lacks the same. */
    boolean meets(Demand demand) {
        if (demand.priority() > priority) {
            return false;
        }
        for (int index = 0; index < lines.size(); index++) {
            if (demand.whole()[lines.get(index)] < amounts.get(index)) {
                return false;
            }
        }
        return true;
    }
}
