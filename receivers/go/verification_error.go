package receiver

import "fmt"

// Failure is the reason why a delivery is not authentic.
type Failure string

const (
	BodyUnreadable            Failure = "body-unreadable"
	BodySignatureWrong        Failure = "body-signature-wrong"
	HeaderMissing             Failure = "header-missing"
	HeaderSignatureWrong      Failure = "header-signature-wrong"
	TimestampOutsideTolerance Failure = "timestamp-outside-tolerance"
)

// VerificationError means that the delivery is not authentic. Respond with 401 and do not process it.
type VerificationError struct {
	Code    Failure
	Message string
}

func (failure *VerificationError) Error() string { return failure.Message }

func unreadable(why string) error {
	message := fmt.Sprintf(`The body %s. A delivery has the form {"event": {…}, "signature": "…"}.`, why)
	return &VerificationError{BodyUnreadable, message}
}
