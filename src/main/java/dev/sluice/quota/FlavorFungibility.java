package dev.sluice.quota;

/** When the scan over a group's flavors stops, and what it prefers among the flavors it saw (Kueue's field). */
public record FlavorFungibility(Search whenCanBorrow, Search whenCanPreempt, Preference preference) {
    public static final FlavorFungibility DEFAULT =
            new FlavorFungibility(Search.MAY_STOP_SEARCH, Search.TRY_NEXT_FLAVOR, Preference.BORROWING_OVER_PREEMPTION);

    public enum Search {
        MAY_STOP_SEARCH,
        TRY_NEXT_FLAVOR
    }

    public enum Preference {
        BORROWING_OVER_PREEMPTION,
        PREEMPTION_OVER_BORROWING
    }
}
