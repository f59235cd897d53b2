package dev.sluice.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(Packages.ROOT);

    @Test
    void pure_packages_know_java_and_each_other() {
        ArchitectureRules.PURE_PACKAGES_KNOW_JAVA_AND_EACH_OTHER.check(PRODUCT);
    }

    @Test
    void dependencies_point_inward() {
        ArchitectureRules.DEPENDENCIES_POINT_INWARD.check(PRODUCT);
    }

    @Test
    void every_package_has_a_place() {
        ArchitectureRules.EVERY_PACKAGE_HAS_A_PLACE.check(PRODUCT);
    }

    @Test
    void pure_packages_take_time_and_chance_as_arguments() {
        ArchitectureRules.PURE_PACKAGES_TAKE_TIME_AND_CHANCE_AS_ARGUMENTS.check(PRODUCT);
    }

    @Test
    void the_application_knows_no_technology() {
        ArchitectureRules.APPLICATION_KNOWS_NO_TECHNOLOGY.check(PRODUCT);
    }

    @Test
    void packages_form_no_cycle() {
        ArchitectureRules.PACKAGES_FORM_NO_CYCLE.check(PRODUCT);
    }

    @Test
    void transactions_are_opened_by_persistence_alone() {
        ArchitectureRules.TRANSACTIONS_ARE_OPENED_BY_PERSISTENCE_ALONE.check(PRODUCT);
    }

    @Test
    void entities_stay_in_persistence() {
        ArchitectureRules.ENTITIES_STAY_IN_PERSISTENCE.check(PRODUCT);
    }

    @Test
    void names_say_what_a_type_is() {
        ArchitectureRules.NAMES_SAY_WHAT_A_TYPE_IS.check(PRODUCT);
    }

    @Test
    void packages_are_null_marked() {
        ArchitectureRules.PACKAGES_ARE_NULL_MARKED.check(PRODUCT);
    }
}
