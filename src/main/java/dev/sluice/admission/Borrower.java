package dev.sluice.admission;

import dev.sluice.quota.Share;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue in which somebody might start by borrowing.
 *
 * @param least nobody of the queue asks for less
 * @param hopefuls in the order of the queue: whoever starts first is one of them, or comes no earlier than one of them that might start as
 *     well and stands before it
 */
record Borrower(QueueState queue, Charge least, List<Hopeful> hopefuls) {
    /**
     * The same of no more hopefuls; the last of them stands for all that would follow.
     *
     * @param oneForAll of shares that are alike
     */
    Borrower atMost(int count, Interned<Share> oneForAll) {
        List<Hopeful> few = new ArrayList<>();
        for (Hopeful one : hopefuls.subList(0, Math.min(count, hopefuls.size()))) {
            few.add(one.with(one.precedence().sharing(oneForAll)));
        }
        if (hopefuls.size() > count) {
            Hopeful last = few.getLast();
            Precedence earliest = last.precedence();
            for (Hopeful one : hopefuls.subList(count, hopefuls.size())) {
                earliest = one.precedence().compareTo(earliest) < 0 ? one.precedence() : earliest;
            }
            few.set(count - 1, new Hopeful(last.lane(), earliest.sharing(oneForAll), false, Needs.NONE));
        }
        return new Borrower(queue, least, few);
    }
}
