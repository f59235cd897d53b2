package dev.sluice.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.api.manifest.JobManifest;
import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.Rejection;
import dev.sluice.api.wire.WorkloadDraft;
import dev.sluice.api.wire.WorkloadIntake;
import dev.sluice.api.wire.WorkloadIntake.Sender;
import dev.sluice.scheduling.ManifestIntake;
import dev.sluice.scheduling.PodRules;
import dev.sluice.workload.QuotaCharge;
import dev.sluice.workload.WorkloadId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.stream.Collectors;

/** Reads Jobs that exist in a cluster by the rules by which posted manifests are read. */
@Singleton
public class ManifestSubmissions implements ManifestIntake {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final CurrentConfiguration configuration;
    private final QuotaCharge charge;
    private final PodRules rules;

    @Inject
    public ManifestSubmissions(CurrentConfiguration configuration, QuotaCharge charge, PodRules rules) {
        this.configuration = configuration;
        this.charge = charge;
        this.rules = rules;
    }

    /** For a cluster that adds nothing to pods. */
    public ManifestSubmissions(CurrentConfiguration configuration, QuotaCharge charge) {
        this(configuration, charge, PodRules.NONE);
    }

    @Override
    public Reading read(String manifest, WorkloadId id, String caller) {
        try {
            JsonNode document = JSON.readTree(manifest);
            WorkloadDraft draft = JobManifest.draft(document, "", rules);
            // The object may change while it waits, and stays the same submission: what is hashed is who it is.
            Sender sender = new Sender(caller, null, id.value());
            return new Reading.Understood(
                    WorkloadIntake.on(configuration.recent(), charge).submission(draft, id, sender));
        } catch (Rejection rejection) {
            return new Reading.Refused(words(rejection));
        } catch (JsonProcessingException malformed) {
            return new Reading.Refused("it is not JSON");
        }
    }

    private static String words(Rejection rejection) {
        return rejection.violations().isEmpty()
                ? rejection.detail()
                : rejection.violations().stream()
                        .map(ManifestSubmissions::words)
                        .collect(Collectors.joining("; "));
    }

    private static String words(FieldViolation violation) {
        String value = violation.value() == null ? "" : " (" + violation.value() + ")";
        String nearest =
                violation.nearest().isEmpty() ? "" : "; did you mean " + String.join(", ", violation.nearest()) + "?";
        return violation.field() + value + " " + violation.rule() + nearest;
    }
}
