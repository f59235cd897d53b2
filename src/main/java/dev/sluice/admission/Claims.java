package dev.sluice.admission;

import dev.sluice.quota.QuotaTree;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a workload that keeps its order keeps from those behind it: all that it needs, on every flavor that could ever hold it, since it is
 * not known yet which one it will be.
 */
final class Claims {
    private Claims() {}

    /**
     * @param request with as many pods as it needs
     * @param tree that the queue of the request stands in
     */
    static List<Charge> of(PreparedRequest request, QuotaTree tree) {
        List<Charge> claims = new ArrayList<>();
        CompiledQueue queue = request.queue;
        for (PreparedRequest.Part part : request.parts) {
            for (int group = 0; group < queue.groups().size(); group++) {
                int flavors = queue.groups().get(group).flavors().size();
                for (int flavor = 0; flavor < flavors; flavor++) {
                    Charge whole = wholeOn(queue, part, group, flavor);
                    if (part.mismatch(group, flavor) == null
                            && part.unplaceable(group, flavor) == null
                            && isPossible(whole, tree)) {
                        claims.add(whole);
                    }
                }
            }
        }
        return List.copyOf(claims);
    }

    private static Charge wholeOn(CompiledQueue queue, PreparedRequest.Part part, int group, int flavor) {
        SortedMap<Integer, Long> amounts = new TreeMap<>();
        for (int resource = 0; resource < part.resources.length; resource++) {
            if (part.groups[resource] == group) {
                int line = queue.groups().get(group).lines()[flavor][part.slots[resource]];
                amounts.put(line, part.totals[resource]);
            }
        }
        return Charge.of(queue.node(), amounts);
    }

    private static boolean isPossible(Charge charge, QuotaTree tree) {
        for (int index = 0; index < charge.lines().length; index++) {
            if (charge.amounts()[index] > tree.potential(charge.queue(), charge.lines()[index])) {
                return false;
            }
        }
        return true;
    }
}
