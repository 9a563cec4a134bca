package waypost.receiver;

/** The delivery is not authentic. Respond with 401 and do not process it. */
public final class VerificationException extends Exception {
    private static final long serialVersionUID = 1;

    /** Why the delivery is not authentic. */
    public enum Failure {
        BODY_UNREADABLE,
        BODY_SIGNATURE_WRONG,
        HEADER_MISSING,
        HEADER_SIGNATURE_WRONG,
        TIMESTAMP_OUTSIDE_TOLERANCE
    }

    private final Failure failure;

    VerificationException(Failure failure, String message) {
        super(message);
        this.failure = failure;
    }

    public Failure failure() {
        return failure;
    }
}
