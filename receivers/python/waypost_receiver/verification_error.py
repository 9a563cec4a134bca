from enum import StrEnum


class VerificationFailure(StrEnum):
    BODY_UNREADABLE = "body-unreadable"
    BODY_SIGNATURE_WRONG = "body-signature-wrong"
    HEADER_MISSING = "header-missing"
    HEADER_SIGNATURE_WRONG = "header-signature-wrong"
    TIMESTAMP_OUTSIDE_TOLERANCE = "timestamp-outside-tolerance"


class VerificationError(Exception):
    """The delivery is not authentic. Respond with 401 and do not process it."""

    def __init__(self, code: VerificationFailure, message: str) -> None:
        super().__init__(message)
        self.code = code
