package dev.sluice.api;

import static dev.sluice.api.RestStory.BASE;
import static dev.sluice.api.RestStory.yaml;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Kueue's own manifests move over and back with every field that they have. */
@QuarkusTest
class KueueManifestsTest {
    private static final YAMLMapper YAML = new YAMLMapper();

    private static final String EVERY_FIELD = """
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: ResourceFlavor
            metadata: {name: every-spot}
            spec:
              nodeLabels: {every/instance: spot}
              nodeTaints: [{key: every/spot, value: "true", effect: NoSchedule}]
              tolerations:
              - {key: every/old, operator: Exists, effect: NoExecute, tolerationSeconds: 30}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: ResourceFlavor
            metadata: {name: every-ondemand}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: AdmissionCheck
            metadata: {name: every-check}
            spec:
              controllerName: example.com/budget
              parameters: {apiGroup: example.com, kind: Budget, name: yearly}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: WorkloadPriorityClass
            metadata: {name: every-class}
            value: 1000
            description: goes first
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: Cohort
            metadata: {name: every-root}
            spec: {fairSharing: {weight: "1"}}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: Cohort
            metadata: {name: every-cohort}
            spec:
              parentName: every-root
              fairSharing: {weight: "750m"}
              resourceGroups:
              - coveredResources: [cpu, memory]
                flavors:
                - name: every-spot
                  resources:
                  - {name: cpu, nominalQuota: "10", borrowingLimit: "5", lendingLimit: "2500m"}
                  - {name: memory, nominalQuota: 64Gi}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: ClusterQueue
            metadata: {name: every-queue}
            spec:
              cohortName: every-cohort
              queueingStrategy: StrictFIFO
              stopPolicy: Hold
              namespaceSelector:
                matchLabels: {team: vision}
                matchExpressions:
                - {key: tier, operator: In, values: [prod, stage]}
                - {key: legacy, operator: DoesNotExist}
              flavorFungibility:
                whenCanBorrow: TryNextFlavor
                whenCanPreempt: TryNextFlavor
                preference: PreemptionOverBorrowing
              preemption:
                withinClusterQueue: LowerOrNewerEqualPriority
                reclaimWithinCohort: LowerPriority
                borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 100}
              admissionChecksStrategy:
                admissionChecks: [{name: every-check, onFlavors: [every-spot]}]
              fairSharing: {weight: "2"}
              admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}
              resourceGroups:
              - coveredResources: [cpu, memory]
                flavors:
                - name: every-spot
                  resources:
                  - {name: cpu, nominalQuota: "9", borrowingLimit: "1", lendingLimit: "0"}
                  - {name: memory, nominalQuota: 36Gi}
                - name: every-ondemand
                  resources:
                  - {name: cpu, nominalQuota: "0"}
                  - {name: memory, nominalQuota: "0"}
              - coveredResources: [nvidia.com/gpu]
                flavors:
                - name: every-gpu
                  resources: [{name: nvidia.com/gpu, nominalQuota: "8"}]
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: LocalQueue
            metadata: {name: every-lq, namespace: every-ns}
            spec: {clusterQueue: every-queue, stopPolicy: HoldAndDrain, fairSharing: {weight: "3"}}
            """;

    @Test
    void every_field_comes_back_as_it_was_given() throws IOException {
        yaml(EVERY_FIELD).post(BASE + "/apply").then().statusCode(200);
        String exported = given().get(BASE + "/export?as=kueue")
                .then()
                .statusCode(200)
                .extract()
                .asString();

        SortedMap<String, JsonNode> given = documents(EVERY_FIELD);
        SortedMap<String, JsonNode> back = documents(exported);
        back.keySet().retainAll(given.keySet());
        assertThat(back).isEqualTo(given);
    }

    /** Specifications by kind and name, numbers as texts. */
    private static SortedMap<String, JsonNode> documents(String yaml) throws IOException {
        SortedMap<String, JsonNode> documents = new TreeMap<>();
        try (MappingIterator<JsonNode> all = YAML.readerFor(JsonNode.class).readValues(yaml)) {
            while (all.hasNext()) {
                ObjectNode document = (ObjectNode) texts(all.next());
                if (!document.has("spec") && !document.has("value")) {
                    document.putObject("spec");
                }
                String name = document.path("metadata").path("name").asText();
                documents.put(document.path("kind").asText() + " " + name, document);
            }
        }
        return documents;
    }

    private static JsonNode texts(JsonNode node) {
        if (node.isObject()) {
            ObjectNode copy = JsonNodeFactory.instance.objectNode();
            for (var field : node.properties()) {
                copy.set(field.getKey(), texts(field.getValue()));
            }
            return copy;
        }
        if (node.isArray()) {
            ArrayNode copy = JsonNodeFactory.instance.arrayNode();
            for (JsonNode element : node) {
                copy.add(texts(element));
            }
            return copy;
        }
        return JsonNodeFactory.instance.textNode(node.asText());
    }
}
