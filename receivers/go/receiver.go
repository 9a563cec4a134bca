// Package receiver verifies webhook deliveries from Waypost and returns them as typed events.
package receiver

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A delivery is {"event":<event>,"signature":"<signature>"}, where <event> is the exact signed text.
const (
	head            = `{"event":`
	tailStart       = `,"signature":"`
	tailEnd         = `"}`
	signatureLength = 44
	tailLength      = len(tailStart) + signatureLength + len(tailEnd)
)

// Options has the keys of one webhook. At least one key is required. With keys for body and headers, both must be valid.
// In the headers, one match of a secret or public key is enough. Use several keys during a rotation.
type Options struct {
	// Private keys of the partner, for the signature in the body.
	PrivateKeys []string
	// Secrets of the webhook (whsec_…), for v1 signatures in the headers and the age of the delivery.
	Secrets []string
	// Public keys of the webhook (whpk_…), for v1a signatures in the headers and the age of the delivery.
	PublicKeys []string
	// Maximum difference between webhook-timestamp and now, in either direction. Default: 5 minutes.
	Tolerance time.Duration
	// Clock for tests. Default: time.Now.
	Now func() time.Time
}

// Header is implemented by http.Header. Names are case-insensitive.
type Header interface {
	Get(name string) string
}

// Receiver verifies deliveries. It can be used by several goroutines.
type Receiver struct {
	privateKeys [][]byte
	secrets     [][]byte
	publicKeys  []ed25519.PublicKey
	tolerance   time.Duration
	now         func() time.Time
}

// New returns an error if a key is missing or invalid.
func New(options Options) (*Receiver, error) {
	if len(options.PrivateKeys)+len(options.Secrets)+len(options.PublicKeys) == 0 {
		return nil, errors.New("receiver: PrivateKeys of your account, or Secrets or PublicKeys of the webhook are required")
	}
	receiver := &Receiver{tolerance: options.Tolerance, now: options.Now}
	if receiver.tolerance == 0 {
		receiver.tolerance = 5 * time.Minute
	}
	if receiver.now == nil {
		receiver.now = time.Now
	}
	for _, key := range options.PrivateKeys {
		// Often caused by an unset environment variable: anyone could sign with an empty key.
		if key == "" {
			return nil, errors.New("receiver: PrivateKeys contains an empty key")
		}
		receiver.privateKeys = append(receiver.privateKeys, []byte(key))
	}
	for _, secret := range options.Secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return nil, errors.New("receiver: a secret is not valid; it must have the form whsec_ followed by Base64")
		}
		receiver.secrets = append(receiver.secrets, key)
	}
	for _, publicKey := range options.PublicKeys {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(publicKey, "whpk_"))
		if err != nil || len(key) != ed25519.PublicKeySize {
			return nil, errors.New("receiver: a public key is not valid; it must have the form whpk_ followed by the Base64 of 32 bytes")
		}
		receiver.publicKeys = append(receiver.publicKeys, key)
	}
	return receiver, nil
}

// Verify returns the event of the raw body, or a *VerificationError if the delivery is not authentic.
// The event keeps a reference to body.
func (receiver *Receiver) Verify(body []byte, header Header) (Event, error) {
	if len(receiver.secrets)+len(receiver.publicKeys) > 0 {
		if err := receiver.checkHeaders(body, header); err != nil {
			return nil, err
		}
	}
	if !utf8.Valid(body) {
		return nil, unreadable("is not UTF-8")
	}
	text, err := receiver.eventText(body)
	if err != nil {
		return nil, err
	}
	return typedEvent(text)
}

func (receiver *Receiver) checkHeaders(body []byte, header Header) error {
	var values [3]string
	for index, name := range [...]string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		if values[index] = header.Get(name); values[index] == "" {
			return &VerificationError{HeaderMissing, fmt.Sprintf("The header %s is missing.", name)}
		}
	}
	id, timestamp, signatures := values[0], values[1], strings.Split(values[2], " ")
	if err := receiver.checkTimestamp(timestamp); err != nil {
		return err
	}
	prefix := []byte(id + "." + timestamp + ".")
	for _, secret := range receiver.secrets {
		expected := "v1," + sign(secret, prefix, body)
		for _, given := range signatures {
			if hmac.Equal([]byte(expected), []byte(given)) {
				return nil
			}
		}
	}
	if len(receiver.publicKeys) > 0 && receiver.isSignedWithPublicKey(signatures, append(prefix, body...)) {
		return nil
	}
	return &VerificationError{HeaderSignatureWrong, "No signature in webhook-signature matches the secret or the public " +
		"key. Check that it is the key of this webhook, and that the body is the raw body: a reserialized body has " +
		"another signature."}
}

func (receiver *Receiver) checkTimestamp(timestamp string) error {
	if strings.Trim(timestamp, "0123456789") != "" {
		return &VerificationError{TimestampOutsideTolerance, "webhook-timestamp is not a Unix timestamp in seconds."}
	}
	// A number that is out of range becomes infinite.
	sent, _ := strconv.ParseFloat(timestamp, 64)
	now := receiver.now()
	age := float64(now.Unix()) + float64(now.Nanosecond())/1e9 - sent
	if math.Abs(age) <= receiver.tolerance.Seconds() {
		return nil
	}
	direction := "past"
	if age < 0 {
		direction = "future"
	}
	return &VerificationError{TimestampOutsideTolerance, fmt.Sprintf("webhook-timestamp is %.0f s in the %s, more than "+
		"the %s allowed. Check the system clock. If it is correct, this is a replayed delivery.",
		math.Abs(age), direction, receiver.tolerance)}
}

func (receiver *Receiver) isSignedWithPublicKey(signatures []string, signed []byte) bool {
	for _, given := range signatures {
		// Strict: other Base64 texts of the same bytes are not accepted.
		signature, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(given, "v1a,"))
		if err != nil || !strings.HasPrefix(given, "v1a,") {
			continue
		}
		for _, key := range receiver.publicKeys {
			if ed25519.Verify(key, signed, signature) {
				return true
			}
		}
	}
	return false
}

// eventText returns the text of the event, after checking its signature if there are private keys.
func (receiver *Receiver) eventText(body []byte) ([]byte, error) {
	if len(receiver.privateKeys) > 0 {
		if text, signature, isExact := cutOutEvent(body); isExact {
			for _, key := range receiver.privateKeys {
				if hmac.Equal([]byte(sign(key, text)), signature) {
					return text, nil
				}
			}
		}
	}
	text, err := envelopeEvent(body)
	if err != nil || len(receiver.privateKeys) == 0 {
		return text, err
	}
	return nil, &VerificationError{BodySignatureWrong, "The signature in the body does not match the private key. Check " +
		"that it is the key of the partner that owns the webhook, and that the body was not modified."}
}

func cutOutEvent(body []byte) (text, signature []byte, isExact bool) {
	end := len(body) - tailLength
	if end < len(head) || !bytes.HasPrefix(body, []byte(head)) {
		return nil, nil, false
	}
	tail := body[end:]
	if !bytes.HasPrefix(tail, []byte(tailStart)) || !bytes.HasSuffix(tail, []byte(tailEnd)) {
		return nil, nil, false
	}
	return body[len(head):end], tail[len(tailStart) : len(tailStart)+signatureLength], true
}

func envelopeEvent(body []byte) ([]byte, error) {
	var envelope map[string]json.RawMessage
	if json.Unmarshal(body, &envelope) != nil && !json.Valid(body) {
		return nil, unreadable("is not JSON")
	}
	event, signature := envelope["event"], envelope["signature"]
	if event == nil || signature == nil {
		return nil, unreadable("has no event and signature")
	}
	if signature[0] != '"' {
		return nil, unreadable("has a signature that is not a string")
	}
	return event, nil
}

func sign(key []byte, parts ...[]byte) string {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
