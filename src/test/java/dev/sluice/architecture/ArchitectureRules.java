package dev.sluice.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.NullMarked;

/** One constant per rule; {@link ArchitectureTest} holds the product to them, {@link PlantedBreachTest} sees each one fail. */
final class ArchitectureRules {
    private static final List<String> FORBIDDEN_SUFFIXES =
            List.of("Manager", "Helper", "Util", "Utils", "Impl", "Base", "Data", "Info");
    private static final Set<String> HIDDEN_INPUTS = Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.lang.System.getenv",
            "java.lang.System.getProperty",
            "java.lang.Math.random",
            "java.util.UUID.randomUUID",
            "java.util.concurrent.ThreadLocalRandom.current");

    static final ArchRule PURE_PACKAGES_KNOW_JAVA_AND_EACH_OTHER = classes()
            .that()
            .resideInAnyPackage(Packages.patterns(Packages.PURE))
            .should()
            .onlyDependOnClassesThat(
                    describe("are Java's, JSpecify's or of a pure package", ArchitectureRules::isFitForThePure));

    static final ArchRule DEPENDENCIES_POINT_INWARD = classes()
            .that(describe(
                    "are in a package of Sluice", sluice -> packageOf(sluice).isPresent()))
            .should(satisfy("depend only on packages further in, and on no adapter beside them", (from, problems) -> {
                for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
                    String target = packageOf(dependency.getTargetClass()).orElse("");
                    if (!target.isEmpty() && !Packages.mayKnow(packageOf(from).orElseThrow(), target)) {
                        problems.add(dependency.getDescription());
                    }
                }
                return problems;
            }));

    static final ArchRule EVERY_PACKAGE_HAS_A_PLACE = classes()
            .that(describe(
                    "are in a package of Sluice", sluice -> packageOf(sluice).isPresent()))
            .should(satisfy("be in a package that has a place in the order of packages", (placed, problems) -> {
                if (!Packages.isKnown(packageOf(placed).orElseThrow())) {
                    problems.add(placed.getDescription() + " is in a package without a place");
                }
                return problems;
            }));

    static final ArchRule PURE_PACKAGES_TAKE_TIME_AND_CHANCE_AS_ARGUMENTS = classes()
            .that()
            .resideInAnyPackage(Packages.patterns(Packages.PURE))
            .should(satisfy("read no clock, environment or unseeded chance", (pure, problems) -> {
                for (JavaAccess<?> access : pure.getCodeUnitAccessesFromSelf()) {
                    if (isHiddenInput(access)) {
                        problems.add(access.getDescription());
                    }
                }
                return problems;
            }));

    static final ArchRule APPLICATION_KNOWS_NO_TECHNOLOGY = noClasses()
            .that()
            .resideInAnyPackage(Packages.patterns(Packages.APPLICATION))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "jakarta.persistence..",
                    "org.hibernate..",
                    "io.fabric8..",
                    "jakarta.ws.rs..",
                    "io.micrometer..",
                    "io.vertx..",
                    "java.sql..",
                    "javax.sql..");

    static final ArchRule PACKAGES_FORM_NO_CYCLE =
            slices().matching(Packages.ROOT + ".(*)..").should().beFreeOfCycles();

    static final ArchRule TRANSACTIONS_ARE_OPENED_BY_PERSISTENCE_ALONE = classes()
            .that()
            .resideOutsideOfPackage(Packages.ROOT + ".persistence..")
            .should(satisfy("open no transaction", (outside, problems) -> {
                for (Dependency dependency : outside.getDirectDependenciesFromSelf()) {
                    String target = dependency.getTargetClass().getName();
                    if (target.startsWith("jakarta.transaction.") || target.startsWith("io.quarkus.narayana.")) {
                        problems.add(dependency.getDescription());
                    }
                }
                for (JavaAccess<?> access : outside.getCodeUnitAccessesFromSelf()) {
                    if (access.getTargetOwner().getName().equals("java.sql.Connection")
                            && Set.of("setAutoCommit", "commit", "rollback").contains(access.getName())) {
                        problems.add(access.getDescription());
                    }
                }
                return problems;
            }));

    static final ArchRule ENTITIES_STAY_IN_PERSISTENCE = classes()
            .that(describe("are entities", type -> type.isAnnotatedWith("jakarta.persistence.Entity")))
            .should(satisfy("be package-private and in persistence", (entity, problems) -> {
                if (!packageOf(entity).equals(Optional.of("persistence"))) {
                    problems.add(entity.getDescription() + " is outside of persistence");
                }
                if (entity.getModifiers().contains(JavaModifier.PUBLIC)) {
                    problems.add(entity.getDescription() + " is public");
                }
                return problems;
            }))
            .allowEmptyShould(true);

    static final ArchRule NAMES_SAY_WHAT_A_TYPE_IS = classes()
            .should(satisfy("have no suffix that says nothing", (named, problems) -> {
                if (FORBIDDEN_SUFFIXES.stream().anyMatch(named.getSimpleName()::endsWith)) {
                    problems.add(named.getDescription() + " is named for nothing that it is");
                }
                return problems;
            }));

    static final ArchRule PACKAGES_ARE_NULL_MARKED = classes()
            .should(satisfy("be in a package whose package-info.java is @NullMarked", (type, problems) -> {
                if (!type.getPackage().isAnnotatedWith(NullMarked.class)) {
                    problems.add(type.getPackageName() + " is not @NullMarked");
                }
                return problems;
            }));

    private ArchitectureRules() {}

    private static Optional<String> packageOf(JavaClass type) {
        return Packages.of(type.getPackageName());
    }

    private static boolean isFitForThePure(JavaClass target) {
        String name = target.getBaseComponentType().getPackageName();
        return target.getBaseComponentType().isPrimitive()
                || name.equals("java")
                || name.startsWith("java.")
                || name.startsWith("org.jspecify.")
                || Packages.of(name).filter(Packages.PURE::contains).isPresent();
    }

    private static boolean isHiddenInput(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        boolean takesNothing = access.getTarget() instanceof CodeUnitAccessTarget unit
                && unit.getRawParameterTypes().isEmpty();
        if (owner.equals("java.util.Random") || owner.equals("java.util.SplittableRandom")) {
            return access.getName().equals("<init>") && takesNothing;
        }
        if (owner.equals("java.time.Clock")) {
            return access.getName().startsWith("system") || access.getName().startsWith("tick");
        }
        return (owner.startsWith("java.time.") && access.getName().equals("now"))
                || HIDDEN_INPUTS.contains(owner + "." + access.getName());
    }

    /** A condition from a function that adds the problems of one class to a list. */
    private static ArchCondition<JavaClass> satisfy(
            String description, BiFunction<JavaClass, List<String>, List<String>> problemsOf) {
        return new ArchCondition<>(description) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                problemsOf
                        .apply(type, new ArrayList<>())
                        .forEach(problem -> events.add(SimpleConditionEvent.violated(type, problem)));
            }
        };
    }
}
