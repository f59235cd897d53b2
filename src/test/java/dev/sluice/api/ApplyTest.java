package dev.sluice.api;

import static dev.sluice.api.RestStory.BASE;
import static dev.sluice.api.RestStory.get;
import static dev.sluice.api.RestStory.yaml;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ApplyTest {
    private static final String KUEUE = """
            apiVersion: kueue.x-k8s.io/v1beta1
            kind: ResourceFlavor
            metadata: {name: apply-spot}
            spec:
              nodeLabels: {instance: spot}
            ---
            apiVersion: kueue.x-k8s.io/v1beta1
            kind: ClusterQueue
            metadata: {name: apply-old, annotations: {note: kept elsewhere}}
            spec:
              cohort: apply-cohort
              namespaceSelector: {}
              flavorFungibility: {whenCanBorrow: Borrow, whenCanPreempt: TryNextFlavor}
              resourceGroups:
              - coveredResources: ["cpu", "memory"]
                flavors:
                - name: apply-spot
                  resources:
                  - {name: cpu, nominalQuota: 9, borrowingLimit: 1}
                  - {name: memory, nominalQuota: 36Gi, lendingLimit: 4Gi}
            status: {pendingWorkloads: 3}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: ClusterQueue
            metadata: {name: apply-new}
            spec:
              cohortName: apply-cohort
              queueingStrategy: StrictFIFO
              preemption: {reclaimWithinCohort: Any}
              resourceGroups:
              - coveredResources: ["cpu", "memory"]
                flavors:
                - name: apply-spot
                  resources: [{name: cpu, nominalQuota: 0}, {name: memory, nominalQuota: "0"}]
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: Cohort
            metadata: {name: apply-cohort}
            spec: {parentName: apply-root, fairSharing: {weight: 2}}
            ---
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: LocalQueue
            metadata: {name: lq, namespace: apply-ns}
            spec: {clusterQueue: apply-old}
            ---
            apiVersion: kueue.x-k8s.io/v1beta1
            kind: WorkloadPriorityClass
            metadata: {name: apply-class}
            value: 100
            description: by hand
            """;

    @Test
    void kueues_documents_are_applied_as_one_and_a_repeat_changes_nothing() {
        apply(KUEUE).statusCode(200);
        apply(KUEUE)
                .statusCode(200)
                .body("documents.result", everyItem(equalTo("unchanged")))
                .body(
                        "documents.name",
                        contains("apply-spot", "apply-old", "apply-new", "apply-cohort", "lq", "apply-class"));

        get("/cluster-queues/apply-old")
                .body("cohort", equalTo("apply-cohort"), "quotas[0].borrowingLimit", equalTo("1"));
        get("/cluster-queues/apply-new").body("namespaceSelector.matchNothing", equalTo(true));
        get("/cohorts/apply-cohort").body("parent", equalTo("apply-root"), "fairSharing.weight", equalTo("2"));
        get("/workload-priority-classes/apply-class").body("value", equalTo(100));
    }

    @Test
    void an_export_in_either_shape_applies_to_an_equal_configuration() {
        apply(KUEUE).statusCode(200);
        for (String shape : new String[] {"kueue", "sluice"}) {
            String yaml = given().get(BASE + "/export?as=" + shape)
                    .then()
                    .statusCode(200)
                    .extract()
                    .asString();
            assertThat(yaml).contains("apply-old");
            apply(yaml).statusCode(200).body("documents.result", everyItem(equalTo("unchanged")));
            assertThat(given().get(BASE + "/export?as=" + shape).asString()).isEqualTo(yaml);
        }
    }

    @Test
    void one_wrong_document_keeps_all_of_them_out() {
        apply("""
                kind: Team
                name: half-done
                ---
                apiVersion: kueue.x-k8s.io/v1beta2
                kind: Cohort
                metadata: {name: half-done}
                spec: {parentName: half-done}
                """).statusCode(422).body("violations[0].field", equalTo("documents[1].spec.parentName"));
        get("/teams/half-done").statusCode(404);
    }

    @Test
    void unsupported_kinds_and_fields_are_named() {
        apply("apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\nmetadata: {name: t}\n")
                .statusCode(422)
                .body("type", equalTo("https://sluice.dev/problems/unsupported-kind"))
                .body(
                        "violations[0].value",
                        equalTo("Topology"),
                        "violations[0].rule",
                        equalTo("is not supported yet"));
        apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: t}\n")
                .statusCode(422)
                .body("type", equalTo("https://sluice.dev/problems/unsupported-kind"));
        apply("apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueu\nmetadata: {name: t}\n")
                .statusCode(422)
                .body("violations[0].nearest[0]", equalTo("ClusterQueue"));
        apply(queue("admissionScope: {admissionMode: ByUsage}"))
                .statusCode(422)
                .body("violations[0].field", equalTo("documents[0].spec.admissionScope.admissionMode"));
        apply(queue("cohort: old-name"))
                .statusCode(422)
                .body("violations[0].field", equalTo("documents[0].spec.cohort"))
                .body("violations[0].nearest[0]", equalTo("spec.cohortName"));
        apply(queue("queueingStrateg: StrictFIFO"))
                .statusCode(422)
                .body("violations[0].field", equalTo("documents[0].spec.queueingStrateg"))
                .body("violations[0].nearest[0]", equalTo("queueingStrategy"));
        apply(queue("namespaceSelector: {matchExpressions: [{key: a, operator: Exist}, {key: b, operator: In}]}"))
                .statusCode(422)
                .body(
                        "violations[0].field",
                        equalTo("documents[0].spec.namespaceSelector.matchExpressions[0].operator"))
                .body("violations[0].nearest[0]", equalTo("Exists"));
        apply(queue("namespaceSelector: {matchExpressions: [{key: b, operator: In}]}"))
                .statusCode(422)
                .body("violations[0].field", equalTo("documents[0].spec.namespaceSelector.matchExpressions[0].values"));
    }

    @Test
    void wh_04_a_resource_that_is_not_covered_and_its_negative_quota_are_named() {
        apply(queue("""
                resourceGroups:
                  - coveredResources: [cpu]
                    flavors:
                    - name: wh04
                      resources: [{name: cpu, nominalQuota: 1}, {name: memory, nominalQuota: -5}]"""))
                .statusCode(422)
                .body(
                        "violations.field",
                        contains(
                                "documents[0].spec.resourceGroups[0].flavors[0].resources[1].name",
                                "documents[0].spec.resourceGroups[0].flavors[0].resources[1].nominalQuota"));
    }

    @Test
    void bo_04_mixed_units_in_one_cohort_are_warned_about() {
        apply("""
                kind: ClusterQueue
                name: bo04-a
                cohort: bo04
                quotas: [{resource: gpu.memory, nominal: 20096Mi}]
                ---
                kind: ClusterQueue
                name: bo04-b
                cohort: bo04
                quotas: [{resource: gpu.memory, nominal: 1}]
                """)
                .statusCode(200)
                .body(
                        "warnings.find { it.field == 'documents[1].quotas[0].nominal' }.rule",
                        containsString("is a unit missing?"));
    }

    @Test
    void two_documents_of_one_object_are_refused() {
        apply("kind: Team\nname: twice\n---\nkind: Team\nname: twice\n")
                .statusCode(409)
                .body("detail", containsString("teams/twice"));
    }

    @Test
    void a_dry_run_reports_and_writes_nothing() {
        yaml("kind: Team\nname: dry-apply\n")
                .post(BASE + "/apply?dryRun=true")
                .then()
                .statusCode(200)
                .body("documents[0].result", equalTo("created"));
        get("/teams/dry-apply").statusCode(404);
    }

    private static ValidatableResponse apply(String documents) {
        return yaml(documents).post(BASE + "/apply").then();
    }

    private static String queue(String spec) {
        return "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: apply-wrong}\nspec:\n  " + spec
                + "\n";
    }
}
