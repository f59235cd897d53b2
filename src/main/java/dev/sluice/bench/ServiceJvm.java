package dev.sluice.bench;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the service's JVM is called. As in production it runs the packaged jar with the JVM's own defaults. Where it is started a
 * hundred times, the cheapest compiler and an archive of the loaded classes make a start take a third of the processor time; that
 * needs a plain class path.
 */
final class ServiceJvm {
    private final List<String> options;
    private final List<String> entry;

    private ServiceJvm(List<String> options, List<String> entry) {
        this.options = options;
        this.entry = entry;
    }

    static ServiceJvm asInProduction() {
        Path jar = application().resolve("quarkus-run.jar");
        return new ServiceJvm(List.of("--enable-native-access=ALL-UNNAMED"), List.of("-jar", jar.toString()));
    }

    /** @param archive of loaded classes; not missed if it is not there */
    static ServiceJvm quickToStart(Path archive) {
        return quick(Files.exists(archive) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of());
    }

    /** @param archive written when the process ends by itself */
    static ServiceJvm thatArchives(Path archive) {
        return quick(List.of("-XX:ArchiveClassesAtExit=" + archive));
    }

    private static ServiceJvm quick(List<String> archiving) {
        List<String> options = new ArrayList<>(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-Xshare:auto",
                "-Xlog:disable"));
        options.addAll(archiving);
        // What the build changed in a class comes before the class itself.
        String classPath = Stream.of("quarkus", "app", "lib/main", "lib/boot")
                .flatMap(folder -> jars(application().resolve(folder)))
                .collect(Collectors.joining(File.pathSeparator));
        return new ServiceJvm(options, List.of("-cp", classPath, "dev.sluice.cli.Main"));
    }

    private static Stream<String> jars(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::toString).filter(file -> file.endsWith(".jar")).sorted().toList().stream();
        } catch (IOException unreadable) {
            throw new UncheckedIOException("cannot read " + folder, unreadable);
        }
    }

    List<String> command(Map<String, String> properties, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(entry);
        command.addAll(arguments);
        return command;
    }

    /** The folder of the packaged service that this class belongs to, or, in tests, the one that the build made. */
    private static Path application() {
        try {
            Path code = Path.of(ServiceJvm.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            for (Path candidate : List.of(code.resolve("../..").normalize(), code.resolveSibling("quarkus-app"))) {
                if (Files.exists(candidate.resolve("quarkus-run.jar"))) {
                    return candidate;
                }
            }
            throw new BenchFailed("the service is not packaged yet; run ./sluice build");
        } catch (URISyntaxException odd) {
            throw new BenchFailed("cannot tell where the service's jar is", odd);
        }
    }
}
