package dev.sluice.overview;

/** One line that whoever runs the service wants readers to see, such as the step that a demonstration plays. Any thread. */
public final class Announcement {
    private volatile String line = "";

    /** Empty = there is none. */
    public String line() {
        return line;
    }

    public void say(String words) {
        line = words;
    }
}
