package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher's own logic, in a copy of it that has nothing to build. */
class LauncherTest {
    private static final Path LAUNCHER = Path.of("sluice").toAbsolutePath();

    @TempDir
    Path folder = Path.of("");

    private Told run(Path directory, String... command) throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out", null);
        Path err = Files.createTempFile(folder, "err", null);
        ProcessBuilder builder = new ProcessBuilder(List.of(command))
                .directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().remove("SLUICE_JAVA_HOME");
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Told(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** A folder with the launcher, and a Maven that writes these reports and exits so. */
    private Path projectWhoseTests(int exitCode, String... reports) throws IOException {
        Path project = Files.createDirectories(folder.resolve("project"));
        Files.copy(LAUNCHER, project.resolve("sluice"));
        StringBuilder maven = new StringBuilder("#!/bin/sh\n[ \"$1\" != --version ] || exit 0\n");
        maven.append("mkdir -p target/surefire-reports\n");
        for (int index = 0; index < reports.length; index++) {
            maven.append("echo '")
                    .append(reports[index])
                    .append("' >target/surefire-reports/TEST-")
                    .append(index);
            maven.append(".xml\n");
        }
        maven.append("exit ").append(exitCode).append('\n');
        Files.write(project.resolve("mvnw"), maven.toString().getBytes(StandardCharsets.UTF_8));
        for (Path script : List.of(project.resolve("sluice"), project.resolve("mvnw"))) {
            assertThat(script.toFile().setExecutable(true)).isTrue();
        }
        return project;
    }

    private static String report(int tests, int errors, int skipped, int failures) {
        return "<testsuite xmlns:xsi=\"x\" name=\"n\" time=\"0.1\" tests=\"%d\" errors=\"%d\" skipped=\"%d\" failures=\"%d\">"
                .formatted(tests, errors, skipped, failures);
    }

    private static String lastLine(Told told) {
        return Stream.of(told.out().split("\n")).reduce("", (earlier, later) -> later);
    }

    @Test
    void every_report_counts() throws IOException, InterruptedException {
        Path project = projectWhoseTests(1, report(5, 1, 1, 1), report(7, 0, 0, 0));

        Told told = run(folder, project.resolve("sluice").toString(), "test");

        assertThat(lastLine(told)).isEqualTo("9 passed, 2 failed, 1 skipped");
        assertThat(told.exitCode()).isEqualTo(1);
    }

    @Test
    void tests_that_all_pass_exit_with_0() throws IOException, InterruptedException {
        Path project = projectWhoseTests(0, report(5, 0, 0, 0));

        Told told = run(folder, project.resolve("sluice").toString(), "test", "--fast");

        assertThat(lastLine(told)).isEqualTo("5 passed, 0 failed");
        assertThat(told.exitCode()).isZero();
    }

    @Test
    void a_build_that_fails_outside_of_a_test_is_a_failure() throws IOException, InterruptedException {
        Path project = projectWhoseTests(1, report(5, 0, 0, 0));

        Told told = run(folder, project.resolve("sluice").toString(), "test");

        assertThat(lastLine(told)).isEqualTo("5 passed, 1 failed");
        assertThat(told.exitCode()).isEqualTo(1);
    }

    @Test
    void a_run_without_a_test_is_a_failure() throws IOException, InterruptedException {
        Path project = projectWhoseTests(0);

        Told told = run(folder, project.resolve("sluice").toString(), "test");

        assertThat(lastLine(told)).isEqualTo("0 passed, 1 failed");
        assertThat(told.exitCode()).isEqualTo(1);
    }

    @Test
    void the_launcher_is_found_through_links_from_any_folder() throws IOException, InterruptedException {
        Path project = projectWhoseTests(0, report(1, 0, 0, 0));
        Path link = Files.createSymbolicLink(folder.resolve("first"), Path.of("project/sluice"));
        Path second = Files.createSymbolicLink(folder.resolve("second"), link);

        assertThat(run(Path.of("/"), second.toString(), "test").exitCode()).isZero();
        assertThat(project.resolve("target/surefire-reports/TEST-0.xml")).exists();
    }

    @Test
    void the_jdk_is_the_one_that_runs_this() throws IOException, InterruptedException {
        Path project = projectWhoseTests(0);

        assertThat(run(folder, project.resolve("sluice").toString(), "jdk")
                        .out()
                        .strip())
                .isEqualTo(System.getProperty("java.home"));
    }

    @Test
    void an_unknown_option_of_test_is_refused() throws IOException, InterruptedException {
        Path project = projectWhoseTests(0);

        Told told = run(folder, project.resolve("sluice").toString(), "test", "--quick");

        assertThat(told.exitCode()).isEqualTo(2);
        assertThat(told.err()).contains("test knows only --fast");
    }

    /** A folder with the launcher, and a Maven that says what it was asked. */
    private Path projectThatTellsWhatMavenIsAsked() throws IOException {
        Path project = projectWhoseTests(0);
        Files.writeString(
                project.resolve("mvnw"), "#!/bin/sh\n[ \"$1\" != --version ] || exit 0\nprintf '<%s>' \"$@\"\n");
        return project;
    }

    @Test
    void mutants_are_made_of_a_package_or_of_a_class_or_of_all_that_is_pure() throws IOException, InterruptedException {
        String launcher = projectThatTellsWhatMavenIsAsked().resolve("sluice").toString();

        assertThat(run(folder, launcher, "mutation", "quota").err())
                .contains("<-P><mutation>", "<-Dmutation.classes=dev.sluice.quota.*>", "<pitest:mutationCoverage>");
        assertThat(run(folder, launcher, "mutation", "Ledger").err())
                .contains("<-Dmutation.classes=dev.sluice.*.Ledger,dev.sluice.*.Ledger$*>");
        Told all = run(folder, launcher, "mutation");
        assertThat(all.err()).contains("<pitest:mutationCoverage>").doesNotContain("-Dmutation.classes");
        assertThat(all.exitCode()).isZero();
        assertThat(run(folder, launcher, "mutation", "quota", "admission").exitCode())
                .isEqualTo(2);
    }

    @Test
    void a_failing_build_says_so_and_stops() throws IOException, InterruptedException {
        Path project = projectWhoseTests(1);

        Told told = run(folder, project.resolve("sluice").toString(), "list");

        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.err()).contains("the build failed");
        assertThat(project.resolve("target/sluice-build-lock")).doesNotExist();
    }
}
