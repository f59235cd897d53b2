package dev.sluice.cli;

/** Puts the lines of a {@code text/event-stream} together to events; comments and unknown fields are passed over. */
final class ServerSentEvents {
    interface Listener {
        /**
         * @param id empty if the event has none
         * @param name empty if the event has none
         */
        void event(String id, String name, String text);
    }

    private final Listener listener;
    private final StringBuilder text = new StringBuilder();
    private String id = "";
    private String name = "";

    ServerSentEvents(Listener listener) {
        this.listener = listener;
    }

    void line(String line) {
        if (line.isEmpty()) {
            end();
            return;
        }
        int colon = line.indexOf(':');
        String field = colon < 0 ? line : line.substring(0, colon);
        String value = colon < 0 ? "" : line.substring(colon + 1);
        if (value.startsWith(" ")) {
            value = value.substring(1);
        }
        switch (field) {
            case "data" -> text.append(text.isEmpty() ? "" : "\n").append(value);
            case "event" -> name = value;
            case "id" -> id = value;
            default -> {
                // a comment, a retry hint or a field of a later version
            }
        }
    }

    private void end() {
        if (!text.isEmpty()) {
            listener.event(id, name, text.toString());
        }
        text.setLength(0);
        name = "";
    }
}
