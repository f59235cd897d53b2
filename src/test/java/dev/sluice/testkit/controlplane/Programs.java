package dev.sluice.testkit.controlplane;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the four programs come from: the folder that {@code KUBEBUILDER_ASSETS} names, if all four are in it; else the binary that
 * {@code src/test/control-plane/build} makes once and keeps.
 */
sealed interface Programs {
    /** The command that runs a component, without its arguments. */
    List<String> command(Component component);

    record Folder(Path folder) implements Programs {
        @Override
        public List<String> command(Component component) {
            return List.of(folder.resolve(component.program()).toString());
        }
    }

    record OneBinary(Path binary) implements Programs {
        @Override
        public List<String> command(Component component) {
            return List.of(binary.toString(), component.program());
        }
    }

    static Programs find() {
        Path assets = assets();
        return assets == null ? new OneBinary(built()) : new Folder(assets);
    }

    private static @Nullable Path assets() {
        String named = System.getenv("KUBEBUILDER_ASSETS");
        if (named == null || named.isBlank()) {
            return null;
        }
        Path folder = Path.of(named);
        boolean whole = Arrays.stream(Component.values())
                .allMatch(component -> Files.isExecutable(folder.resolve(component.program())));
        return whole ? folder : null;
    }

    private static Path built() {
        Path build = Path.of("src", "test", "control-plane", "build").toAbsolutePath();
        try {
            Process process = new ProcessBuilder(build.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new IllegalStateException(
                        "no Kubernetes control plane could be had; " + build + " says why above");
            }
            return Path.of(said);
        } catch (IOException failed) {
            throw new IllegalStateException("cannot run " + build, failed);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the control plane was built", stopping);
        }
    }
}
