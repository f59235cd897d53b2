package dev.sluice.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EvictionReason;
import dev.sluice.admission.FairSharing;
import dev.sluice.quota.AdmissionMode;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.Team;
import dev.sluice.quota.Toleration;
import dev.sluice.scheduling.Batch.Entry;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSet.AffinityTerm;
import dev.sluice.workload.PodSet.Requirement;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Pins the JSON that is in the database. If one of these must change, old rows are still there: bump {@code v} and read both.
 */
class StoredFormTest {
    @Test
    void a_cluster_queue() {
        assertThat(StoredJson.objectOf(StoreConfigurations.clusterQueue("a", "c", "16")))
                .hasToString(
                        "{\"v\":1,\"name\":\"a\",\"cohort\":\"c\",\"team\":\"team-a\",\"queueingStrategy\":\"STRICT_FIFO\","
                                + "\"resourceGroups\":[{\"coveredResources\":[\"deviceclass/h100.gpu.example.com\",\"cpu\"],\"flavors\":"
                                + "[{\"flavor\":\"h100\",\"resources\":[{\"resource\":\"deviceclass/h100.gpu.example.com\",\"nominal\":"
                                + "\"16\",\"borrowingLimit\":\"8\",\"lendingLimit\":\"4.0\"},{\"resource\":\"cpu\",\"nominal\":\"1500m\"}"
                                + "]}]}],\"preemption\":{\"withinClusterQueue\":\"LOWER_PRIORITY\",\"reclaimWithinCohort\":\"ANY\","
                                + "\"borrowWithinCohort\":{\"allowed\":true,\"maxPriorityThreshold\":100}},\"flavorFungibility\":"
                                + "{\"whenCanBorrow\":\"MAY_STOP_SEARCH\",\"whenCanPreempt\":\"TRY_NEXT_FLAVOR\",\"preference\":"
                                + "\"BORROWING_OVER_PREEMPTION\"},\"weight\":\"0.5\",\"stopPolicy\":\"NONE\",\"namespaceSelector\":"
                                + "{\"matchLabels\":{\"kubernetes.io/metadata.name\":\"team-a\"},\"matchExpressions\":"
                                + "[{\"key\":\"tier\",\"operator\":\"NOT_IN\",\"values\":[\"test\"]}]},\"admissionChecks\":[\"check\"],"
                                + "\"checksOnFlavors\":{},\"admissionMode\":\"USAGE_BASED\"}");
    }

    @Test
    void a_cluster_queue_of_before_there_were_admission_modes() {
        ClusterQueue queue = StoreConfigurations.clusterQueue("a", "c", "16");
        ObjectNode older = StoredJson.objectOf(queue);
        older.remove("admissionMode");

        assertThat(StoredJson.read(older, ClusterQueue.class).admissionMode()).isEqualTo(AdmissionMode.NONE);
    }

    @Test
    void a_cluster_queue_of_before_a_selector_had_expressions() {
        ObjectNode older = StoredJson.objectOf(StoreConfigurations.clusterQueue("a", "c", "16"));
        older.putObject("namespaceSelector").put("team", "vision");

        assertThat(StoredJson.read(older, ClusterQueue.class).namespaceSelector())
                .isEqualTo(NamespaceSelector.of(Map.of("team", "vision")));
    }

    @Test
    void the_settings_that_a_leader_decides_by() {
        AdmissionSettings settings = AdmissionSettings.defaults().with(FairSharing.ON);
        EngineEvent event = new EngineEvent.EngineRestarted(settings);
        EntryCodec.Line line = EntryCodec.encode(new Entry.Input(1, event));

        assertThat(line.body().path("settings").path("fairSharing"))
                .hasToString(
                        "{\"preemptionStrategies\":[\"LESS_THAN_OR_EQUAL_TO_FINAL_SHARE\",\"LESS_THAN_INITIAL_SHARE\"]}");
        assertThat(EntryCodec.decode(1, line, nothing())).isEqualTo(new Entry.Input(1, event));
    }

    @Test
    void a_cluster_queue_from_before_checks_could_count_for_some_flavors_only() {
        ClusterQueue queue = StoreConfigurations.clusterQueue("a", "c", "16");
        ObjectNode stored = StoredJson.objectOf(queue);
        stored.remove("checksOnFlavors");

        assertThat(StoredJson.read(stored, ClusterQueue.class)).isEqualTo(queue);
    }

    @Test
    void a_pod_set() {
        PodSet podSet = new PodSet(
                "main",
                4,
                2,
                new TreeMap<>(Map.of("cpu", 8000L)),
                new TreeMap<>(Map.of("zone", "a")),
                List.of(new AffinityTerm(List.of(new Requirement("gpu", "In", List.of("h100"))))),
                List.of(new Toleration("gpu", "Exists", "", "")),
                "ring");

        assertThat(StoredJson.text(podSet))
                .isEqualTo("{\"name\":\"main\",\"count\":4,\"minCount\":2,\"requests\":{\"cpu\":8000},\"nodeSelector\":"
                        + "{\"zone\":\"a\"},\"affinityTerms\":[{\"requirements\":[{\"key\":\"gpu\",\"operator\":\"In\","
                        + "\"values\":[\"h100\"]}]}],\"tolerations\":[{\"key\":\"gpu\",\"operator\":\"Exists\",\"value\":\"\","
                        + "\"effect\":\"\"}],\"group\":\"ring\"}");
        assertThat(StoredJson.read(StoredJson.text(podSet), PodSet.class)).isEqualTo(podSet);
    }

    @Test
    void an_admission_and_a_preemption() {
        assertThat(body(new Decision.Admit(new WorkloadId("w"), StoreStory.assignment(), 3)))
                .isEqualTo(
                        "{\"v\":1,\"admissionSequence\":3,\"assignment\":{\"clusterQueue\":\"team-a\",\"podSets\":[{\"name\":"
                                + "\"main\",\"count\":2,\"flavors\":{\"cpu\":\"default\",\"deviceclass/h100.gpu.example.com\":\"h100\"},"
                                + "\"usage\":{\"cpu\":16000,\"deviceclass/h100.gpu.example.com\":4}}],\"borrows\":true}}");
        assertThat(body(new Decision.Preempt(
                        new WorkloadId("w"),
                        StoreStory.assignment(),
                        List.of(new Decision.Victim(new WorkloadId("v"), EvictionReason.IN_CLUSTER_QUEUE, null)))))
                .endsWith("\"victims\":[{\"workload\":\"v\",\"reason\":\"InClusterQueue\"}]}");
    }

    private static String body(Decision decision) {
        return EntryCodec.encode(new Entry.Decided(1, decision)).body().toString();
    }

    @Test
    void fields_of_a_later_version_are_passed_over() {
        EntryCodec.Line line = new EntryCodec.Line(
                "WorkloadFinished",
                new WorkloadId("w"),
                StoredJson.readObject("{\"v\":2,\"succeeded\":true,\"exitCode\":0}"));

        assertThat(EntryCodec.decode(7, line, StoredFormTest.nothing()))
                .isEqualTo(new Entry.Input(7, new EngineEvent.WorkloadFinished(new WorkloadId("w"), true)));
        assertThat(StoredJson.read(
                                "{\"name\":\"t\",\"displayName\":\"T\",\"namespaces\":[],\"color\":\"red\"}",
                                Team.class)
                        .displayName())
                .isEqualTo("T");
    }

    private static EntryCodec.Resolver nothing() {
        return new EntryCodec.Resolver() {
            @Override
            public Workload workload(WorkloadId id) {
                throw new IllegalStateException("nothing to look up");
            }

            @Override
            public Configuration configuration(long version) {
                throw new IllegalStateException("nothing to look up");
            }
        };
    }

    @Test
    void what_a_queue_lacks_stays_lacking() {
        ClusterQueue queue = StoreConfigurations.clusterQueue("a", null, "16");

        assertThat(StoredJson.read(StoredJson.objectOf(queue), ClusterQueue.class))
                .isEqualTo(queue);
        assertThat(queue.cohort()).isNull();
    }
}
