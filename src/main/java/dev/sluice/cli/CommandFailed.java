package dev.sluice.cli;

import java.io.Serial;

/** A failure told to the person in the words of its message, which also say the way out. No stack trace is shown. */
final class CommandFailed extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandFailed(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** The command was right, but was refused or could not be carried out. */
    static CommandFailed failed(String message) {
        return new CommandFailed(SluiceCommand.FAILED, message);
    }

    /** The command itself was wrong. */
    static CommandFailed wrongUse(String message) {
        return new CommandFailed(SluiceCommand.WRONG_USE, message);
    }

    int exitCode() {
        return exitCode;
    }
}
