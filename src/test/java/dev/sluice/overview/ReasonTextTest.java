package dev.sluice.overview;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.WaitReason;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.PreemptionPolicy;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.quota.StopPolicy;
import dev.sluice.quota.Team;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("core")
class ReasonTextTest {
    private static final String GPU = "nvidia.com/gpu";
    private static final Map<String, String> NAMES =
            Map.of("1", "research/sweep-01", "2", "research/sweep-02", "3", "batch/train-7b");

    private final SortedMap<String, ClusterQueue> queues = new TreeMap<>();
    private final SortedMap<String, QuotaUsage.Queue> usage = new TreeMap<>();

    @Test
    void a_full_cohort_is_told_with_who_keeps_what() {
        queue("serving", "org", 20, null, 12L);
        queue("batch", "org", 12, null, null);
        queue("research", "org", 8, null, null);
        used("serving", 20, 0, 0, 12);
        used("batch", 12, 12, 0, 0);
        used("research", 8, 20, 12, 0);

        assertThat(waiting("batch", 2, 0))
                .isEqualTo("Needs 2 GPUs; team batch can get 0 now: nominal 12, used 12; of the cohort's other 28, "
                        + "20 are in use and serving keeps 8 to itself.");
    }

    @Test
    void a_cohort_in_which_nobody_else_owns_any_is_told_so() {
        queue("batch", "org", 4, null, null);
        used("batch", 4, 3, 0, 0);

        assertThat(waiting("batch", 4, 1))
                .isEqualTo(
                        "Needs 4 GPUs; team batch can get 1 now: nominal 4, used 3; nobody else in its cohort owns any.");
    }

    @Test
    void what_is_free_but_too_little_is_told() {
        queue("serving", "org", 20, null, 12L);
        queue("batch", "org", 12, null, null);
        used("serving", 20, 4, 0, 10);
        used("batch", 12, 22, 10, 0);

        assertThat(waiting("batch", 8, 2))
                .isEqualTo("Needs 8 GPUs; team batch can get 2 now: nominal 12, used 22; of the cohort's other 20, "
                        + "14 are in use, serving keeps 4 to itself and 2 are free.");
    }

    @Test
    void a_borrowing_limit_that_binds_is_told_instead_of_the_cohort() {
        queue("batch", "org", 12, 4L, null);
        queue("research", "org", 20, null, null);
        used("batch", 12, 16, 4, 0);
        used("research", 20, 0, 0, 4);

        assertThat(waiting("batch", 2, 0))
                .isEqualTo("Needs 2 GPUs; team batch can get 0 now: nominal 12, used 16; it may borrow 4 at most.");
    }

    @Test
    void a_queue_without_cohort_is_told_that_it_cannot_borrow() {
        queue("alone", null, 8, null, null);
        used("alone", 8, 7, 0, 0);

        assertThat(waiting("alone", 2, 1))
                .isEqualTo("Needs 2 GPUs; team alone can get 1 now: nominal 8, used 7; it is in no cohort, so it cannot"
                        + " borrow.");
    }

    @Test
    void quota_of_the_cohort_itself_counts_among_the_others() {
        queue("batch", "org", 4, null, null);
        used("batch", 4, 10, 6, 0);
        SortedMap<String, Cohort> cohorts =
                new TreeMap<>(Map.of("org", new Cohort("org", null, List.of(group(6, null, null)), Quantity.of(1))));

        assertThat(text(cohorts).sentence(new WaitReason.QuotaExhausted(GPU, "default", 1, 0, 1), "batch"))
                .isEqualTo("Needs 1 GPU; team batch can get 0 now: nominal 4, used 10; the cohort's other 6 are "
                        + "all in use.");
    }

    @Test
    void without_a_configuration_the_numbers_of_the_reason_remain() {
        assertThat(ReasonText.plain()
                        .sentence(new WaitReason.QuotaExhausted("cpu", "default", 1500, 500, 1000), "batch"))
                .isEqualTo("Needs 1.5 CPUs; queue batch can get 0.5 now.");
        assertThat(ReasonText.plain()
                        .sentence(new WaitReason.QuotaExhausted("memory", "default", 64L << 30, 0, 64L << 30), null))
                .isEqualTo("Needs 64Gi memory; its queue can get 0 now.");
    }

    @Test
    void what_can_never_start_says_so_first() {
        queue("batch", null, 12, null, null);
        assertThat(sentence(new WaitReason.ExceedsMaximum(GPU, "default", 48, 12)))
                .isEqualTo("Can never start as configured: needs 48 GPUs, and team batch could reach 12 at most, even"
                        + " with nothing else running.");
        assertThat(sentence(new WaitReason.NoMatchingFlavor(
                        GPU,
                        List.of(
                                new WaitReason.Mismatch("h100", "node label zone is a, the pods want b"),
                                new WaitReason.Mismatch("a100", "taint spot is not tolerated")))))
                .isEqualTo(
                        "Can never start as configured: no flavor that has GPUs takes its pods (h100: node label zone"
                                + " is a, the pods want b; a100: taint spot is not tolerated).");
        assertThat(sentence(new WaitReason.ResourceNotCovered("deviceclass/h100.example.com", "batch", 4)))
                .isEqualTo("Can never start as configured: needs 4 h100, and queue batch has no quota for h100.");
    }

    @Test
    void devices_that_are_not_there_are_told_apart_from_quota() {
        queue("batch", null, 12, null, null);
        assertThat(sentence(new WaitReason.NotPlaceable(GPU, "default", 8, 6)))
                .isEqualTo("Has the quota, but not the nodes: needs 8 GPUs, and the usable nodes have 6 in all.");
    }

    @Test
    void an_earmarked_workload_names_three_of_those_that_make_room() {
        assertThat(sentence(new WaitReason.AwaitingVictims(List.of(new WorkloadId("1")))))
                .isEqualTo("Has its place set aside and starts when the workload that makes room is gone:"
                        + " research/sweep-01.");
        assertThat(sentence(new WaitReason.AwaitingVictims(List.of(
                        new WorkloadId("1"),
                        new WorkloadId("2"),
                        new WorkloadId("3"),
                        new WorkloadId("4"),
                        new WorkloadId("5")))))
                .isEqualTo("Has its place set aside and starts when the 5 workloads that make room are gone:"
                        + " research/sweep-01, research/sweep-02, batch/train-7b and 2 more.");
    }

    @Test
    void an_earmarked_workload_tells_of_a_victim_that_does_not_end() {
        List<WorkloadId> victims = List.of(new WorkloadId("1"), new WorkloadId("2"));
        Instant told = Instant.parse("2026-03-02T14:00:05Z");
        assertThat(sentence(new WaitReason.AwaitingVictims(victims, new TreeMap<>(Map.of(victims.get(1), told)))))
                .isEqualTo("Has its place set aside and starts when the 2 workloads that make room are gone:"
                        + " research/sweep-01 and research/sweep-02. But research/sweep-02 was told to leave at"
                        + " 14:00:05 UTC and does not end.");
        assertThat(sentence(new WaitReason.AwaitingVictims(
                        victims, new TreeMap<>(Map.of(victims.get(0), told.plusSeconds(1), victims.get(1), told)))))
                .endsWith(
                        " But research/sweep-02 was told to leave at 14:00:05 UTC and does not end, nor does 1 more.");
    }

    @Test
    void one_behind_a_strict_head_learns_what_the_head_waits_for() {
        queue("batch", null, 12, null, null);
        used("batch", 12, 12, 0, 0);
        assertThat(sentence(new WaitReason.BlockedByEarlier(
                        new WorkloadId("3"), new WaitReason.QuotaExhausted(GPU, "default", 8, 0, 8))))
                .isEqualTo("Waits behind batch/train-7b, which may not be passed; that one needs 8"
                        + " GPUs; team batch can get 0 now: nominal 12, used 12; it is in no cohort, so it cannot"
                        + " borrow.");
    }

    @Test
    void stopped_and_inactive_queues_say_what_ends_the_wait() {
        assertThat(sentence(new WaitReason.QueueStopped("batch", null)))
                .isEqualTo("Waits because queue batch is stopped; it goes on when the stop policy is None again.");
        assertThat(sentence(new WaitReason.QueueStopped("batch", "nightly")))
                .isEqualTo(
                        "Waits because local queue nightly is stopped; it goes on when the stop policy is None again.");
        assertThat(sentence(new WaitReason.QueueInactive("batch", "flavor h100 does not exist")))
                .isEqualTo("Waits because queue batch is not active: flavor h100 does not exist.");
        assertThat(sentence(new WaitReason.NamespaceNotAllowed("lab", "batch")))
                .isEqualTo("Waits because queue batch takes no workloads from namespace lab.");
    }

    @Test
    void the_rest_is_said_plainly() {
        assertThat(sentence(new WaitReason.BackingOff(Instant.parse("2026-03-01T14:05:12Z"), 1, null)))
                .isEqualTo("Waits until 14:05:12 UTC before it is tried again, after 1 eviction.");
        assertThat(sentence(new WaitReason.BackingOff(Instant.parse("2026-03-01T14:05:12Z"), 3, null)))
                .isEqualTo("Waits until 14:05:12 UTC before it is tried again, after 3 evictions.");
        assertThat(sentence(new WaitReason.Deactivated(null)))
                .isEqualTo("Was deactivated and waits until somebody activates it.");
        assertThat(sentence(new WaitReason.BackingOff(Instant.parse("2026-03-01T14:05:12Z"), 3, "no such node")))
                .isEqualTo(
                        "Waits until 14:05:12 UTC before it is tried again, after 3 evictions; its last start failed:"
                                + " no such node.");
        assertThat(sentence(new WaitReason.Deactivated("no such node")))
                .isEqualTo("Was given up, because its starts failed, and waits until somebody activates it: no such"
                        + " node.");
        assertThat(sentence(new WaitReason.NotYetConsidered()))
                .isEqualTo("Arrived a moment ago and is looked at next.");
    }

    @Test
    void a_team_is_called_by_its_display_name_and_a_short_name_is_used_only_where_it_is_the_only_one() {
        queue("batch", null, 12, null, null);
        Configuration configuration = new Configuration(
                1,
                new TreeMap<>(),
                queues,
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(Map.of("batch", new Team("batch", "Batch & evaluation", List.of()))),
                new TreeMap<>());
        assertThat(new ReasonText(configuration, new QuotaUsage(usage), id -> null)
                        .sentence(new WaitReason.ExceedsMaximum(GPU, "default", 48, 12), "batch"))
                .contains("team Batch & evaluation could reach 12");

        ResourceGroup both = new ResourceGroup(
                List.of(GPU, "amd.com/gpu"),
                List.of(new FlavorQuotas(
                        "default",
                        List.of(
                                new ResourceQuota(GPU, Quantity.of(1), null, null),
                                new ResourceQuota("amd.com/gpu", Quantity.of(1), null, null)))));
        queues.put("batch", queue("batch", null, both));
        assertThat(new AmountText(configuration()).amount(GPU, 2)).isEqualTo("2 nvidia.com/gpu");
    }

    private String waiting(String clusterQueue, long requested, long available) {
        return text(new TreeMap<>())
                .sentence(
                        new WaitReason.QuotaExhausted(GPU, "default", requested, available, requested - available),
                        clusterQueue);
    }

    private String sentence(WaitReason reason) {
        return text(new TreeMap<>()).sentence(reason, "batch");
    }

    private ReasonText text(SortedMap<String, Cohort> cohorts) {
        Configuration configuration = new Configuration(
                1,
                cohorts,
                queues,
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>());
        return new ReasonText(configuration, new QuotaUsage(usage), id -> NAMES.get(id.value()));
    }

    private Configuration configuration() {
        return new Configuration(
                1,
                new TreeMap<>(),
                queues,
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>());
    }

    private void queue(
            String name, @Nullable String cohort, long nominal, @Nullable Long borrowingLimit, @Nullable Long lending) {
        queues.put(name, queue(name, cohort, group(nominal, borrowingLimit, lending)));
    }

    private static ClusterQueue queue(String name, @Nullable String cohort, ResourceGroup group) {
        return new ClusterQueue(
                name,
                cohort,
                name,
                QueueingStrategy.BEST_EFFORT_FIFO,
                List.of(group),
                PreemptionPolicy.NEVER,
                FlavorFungibility.DEFAULT,
                Quantity.of(1),
                StopPolicy.NONE,
                NamespaceSelector.EVERY,
                List.of());
    }

    private static ResourceGroup group(long nominal, @Nullable Long borrowingLimit, @Nullable Long lendingLimit) {
        return new ResourceGroup(
                List.of(GPU),
                List.of(new FlavorQuotas(
                        "default",
                        List.of(new ResourceQuota(
                                GPU,
                                Quantity.of(nominal),
                                borrowingLimit == null ? null : Quantity.of(borrowingLimit),
                                lendingLimit == null ? null : Quantity.of(lendingLimit))))));
    }

    private void used(String queue, long nominal, long used, long borrowed, long lent) {
        usage.put(
                queue,
                new QuotaUsage.Queue(
                        List.of(new QuotaUsage.Line("default", GPU, nominal, used, 0, borrowed, lent, 0, 0, 0, 0)),
                        0,
                        0,
                        0,
                        null));
    }
}
