package dev.sluice.testkit.controlplane;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One child process. Its output goes to a file; it is killed with the JVM. */
final class ComponentProcess {
    private static final long END_PATIENCE_SECONDS = 10;

    private final Component component;
    private final Path log;
    private final Process process;

    private ComponentProcess(Component component, Path log, Process process) {
        this.component = component;
        this.log = log;
        this.process = process;
    }

    static ComponentProcess start(Component component, List<String> command, Path log) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            return new ComponentProcess(component, log, process);
        } catch (IOException failed) {
            throw new IllegalStateException("cannot start " + component, failed);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void pause() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    /** Asks it to end and waits; what does not end in time is killed. A paused one is resumed to hear it. */
    void stop() {
        if (process.isAlive()) {
            resume();
        }
        process.destroy();
        await(END_PATIENCE_SECONDS);
        kill();
    }

    void kill() {
        process.destroyForcibly();
        await(END_PATIENCE_SECONDS);
    }

    /** The end of what it said, for a message. */
    String lastWords() {
        try {
            List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
            return component + ":\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
        } catch (IOException unreadable) {
            return component + " said nothing that can be read: " + unreadable;
        }
    }

    private void await(long seconds) {
        try {
            process.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void signal(String name) {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("cannot send " + name + " to " + component);
            }
        } catch (IOException failed) {
            throw new IllegalStateException("cannot send " + name + " to " + component, failed);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }
}
