package dev.sluice.kubernetes.webhook;

/** What was sent is no question that can be answered; the message says what is missing. */
final class MalformedReview extends RuntimeException {
    private static final long serialVersionUID = 1;

    MalformedReview(String message) {
        super(message);
    }
}
