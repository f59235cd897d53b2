package dev.sluice.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The packages of Sluice and who may know whom:
 * {@code quota ← workload ← device ← topology ← admission ← planning ← {scheduling, overview} ← adapters ← platform ← cli}.
 * Adapters do not know each other.
 */
final class Packages {
    static final String ROOT = "dev.sluice";
    /** In the order of direction: each may know those before it. */
    static final List<String> PURE = List.of("quota", "workload", "device", "topology", "admission", "planning");

    static final List<String> APPLICATION = List.of("scheduling", "overview");
    static final List<String> ADAPTERS =
            List.of("persistence", "kubernetes", "fleet", "api", "dashboard", "messaging", "security");
    /** Run the product from outside: vectors and random lives against the engine, and load against the service. */
    static final List<String> HARNESSES = List.of("conformance", "simulation", "bench");

    /** Sets up what it measures: a database, a fleet, a store. */
    static final String BENCH = "bench";

    static final String SIMULATION = "simulation";
    static final String PLATFORM = "platform";
    static final String CLI = "cli";

    private Packages() {}

    static String[] patterns(List<String> names) {
        return names.stream().map(name -> ROOT + "." + name + "..").toArray(String[]::new);
    }

    /** The first package below the root; empty for the root itself and for what is not Sluice's. */
    static Optional<String> of(String packageName) {
        if (!packageName.startsWith(ROOT + ".")) {
            return Optional.empty();
        }
        return Optional.of(packageName.substring(ROOT.length() + 1).split("\\.", 2)[0]);
    }

    static boolean isKnown(String name) {
        return Stream.of(PURE, APPLICATION, ADAPTERS, HARNESSES, List.of(PLATFORM, CLI))
                .flatMap(List::stream)
                .anyMatch(name::equals);
    }

    static boolean mayKnow(String from, String to) {
        return from.equals(to) || known(from).contains(to);
    }

    private static List<String> known(String from) {
        if (PURE.contains(from)) {
            return PURE.subList(0, PURE.indexOf(from));
        }
        List<String> known = new ArrayList<>(PURE);
        if (APPLICATION.contains(from)) {
            return known;
        }
        known.addAll(APPLICATION);
        if (from.equals(PLATFORM) || from.equals(CLI) || from.equals(BENCH)) {
            known.addAll(ADAPTERS);
        }
        if (from.equals(BENCH)) {
            known.add(PLATFORM);
            known.add(SIMULATION);
        }
        if (from.equals(CLI)) {
            known.addAll(HARNESSES);
            known.add(PLATFORM);
        }
        return known;
    }
}
