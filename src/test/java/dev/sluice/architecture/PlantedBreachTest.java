package dev.sluice.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every rule fails on a class that breaks it. The classes bear the product's package names and are compiled here. */
class PlantedBreachTest {
    @TempDir
    static Path compiled = Path.of("");

    private static JavaClasses planted = new ClassFileImporter().importClasses();

    @BeforeAll
    static void compile() throws IOException, URISyntaxException {
        Path sources = Path.of(Objects.requireNonNull(PlantedBreachTest.class.getResource("/planted"))
                .toURI());
        JavaCompiler compiler =
                Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "the tests run on a JDK, not a JRE");
        List<String> arguments = Stream.concat(
                        Stream.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path"), "-d"),
                        Stream.concat(Stream.of(compiled.toString()), javaFiles(sources)))
                .toList();
        assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new)))
                .as("the planted classes compile")
                .isZero();
        planted = new ClassFileImporter().importPath(compiled);
    }

    private static Stream<String> javaFiles(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java")).map(Path::toString).toList().stream();
        }
    }

    private static void assertFails(ArchRule rule, String... breaches) {
        assertThat(rule.evaluate(planted).getFailureReport().getDetails())
                .as(rule.getDescription())
                .satisfies(details -> assertThat(String.join("\n", details)).contains(breaches));
    }

    @Test
    void a_pure_class_that_knows_a_library_is_found() {
        assertFails(ArchitectureRules.PURE_PACKAGES_KNOW_JAVA_AND_EACH_OTHER, "quota.KnowsALibrary");
    }

    @Test
    void a_pure_class_that_knows_an_adapter_is_found() {
        assertFails(ArchitectureRules.PURE_PACKAGES_KNOW_JAVA_AND_EACH_OTHER, "workload.KnowsAnAdapter");
    }

    @Test
    void every_dependency_that_points_outward_or_sideways_is_found() {
        assertFails(
                ArchitectureRules.DEPENDENCIES_POINT_INWARD,
                "quota.KnowsALaterPackage",
                "overview.KnowsScheduling",
                "api.KnowsPersistence",
                "fleet.KnowsPlatform",
                "platform.KnowsCli");
    }

    @Test
    void a_package_without_a_place_is_found() {
        assertFails(ArchitectureRules.EVERY_PACKAGE_HAS_A_PLACE, "stray.Anywhere");
    }

    @Test
    void every_hidden_clock_and_die_is_found() {
        assertFails(
                ArchitectureRules.PURE_PACKAGES_TAKE_TIME_AND_CHANCE_AS_ARGUMENTS,
                "java.time.Instant.now",
                "java.lang.System.nanoTime",
                "java.lang.System.currentTimeMillis",
                "java.util.UUID.randomUUID",
                "java.util.Random.<init>()",
                "java.time.Clock.systemUTC");
    }

    @Test
    void chance_with_a_seed_is_no_breach() {
        assertThat(String.join(
                        "\n",
                        ArchitectureRules.PURE_PACKAGES_TAKE_TIME_AND_CHANCE_AS_ARGUMENTS
                                .evaluate(planted)
                                .getFailureReport()
                                .getDetails()))
                .doesNotContain("java.util.Random.<init>(long)");
    }

    @Test
    void technology_in_the_application_is_found() {
        assertFails(
                ArchitectureRules.APPLICATION_KNOWS_NO_TECHNOLOGY,
                "scheduling.KnowsTechnology",
                "jakarta.persistence.",
                "jakarta.ws.rs.",
                "java.sql.");
    }

    @Test
    void a_cycle_of_packages_is_found() {
        assertFails(ArchitectureRules.PACKAGES_FORM_NO_CYCLE, "Cycle detected");
    }

    @Test
    void transactions_elsewhere_are_found() {
        assertFails(
                ArchitectureRules.TRANSACTIONS_ARE_OPENED_BY_PERSISTENCE_ALONE,
                "api.OpensATransaction",
                "jakarta.transaction.Transactional",
                "java.sql.Connection.setAutoCommit");
    }

    @Test
    void public_entities_and_entities_elsewhere_are_found() {
        assertFails(
                ArchitectureRules.ENTITIES_STAY_IN_PERSISTENCE,
                "api.StrayEntity> is outside of persistence",
                "persistence.OpenEntity> is public");
    }

    @Test
    void a_name_that_says_nothing_is_found() {
        assertFails(ArchitectureRules.NAMES_SAY_WHAT_A_TYPE_IS, "quota.QuotaManager");
    }

    @Test
    void a_package_that_is_not_null_marked_is_found() {
        assertFails(ArchitectureRules.PACKAGES_ARE_NULL_MARKED, "dev.sluice.stray is not @NullMarked");
    }
}
