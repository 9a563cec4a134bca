package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

var errNotGenuine = errors.New("not a delivery of Waypost")

// Verify returns the JSON text of the event.
func Verify(raw []byte, privateKey string) ([]byte, error) {
	start, end := len(`{"event":`), bytes.LastIndex(raw, []byte(`,"signature":`))
	var body struct{ Signature string }
	if end < start || json.Unmarshal(raw, &body) != nil {
		return nil, errNotGenuine
	}
	signed := raw[start:end]
	if !hmac.Equal([]byte(sign([]byte(privateKey), signed)), []byte(body.Signature)) {
		return nil, errNotGenuine
	}
	return signed, nil
}

// VerifyHeaders does the same by the secret of the webhook. Also compare webhook-timestamp with the time.
func VerifyHeaders(raw []byte, id, timestamp, signatures, secret string) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	expected := "v1," + sign(key, append([]byte(id+"."+timestamp+"."), raw...))
	for _, one := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(expected), []byte(one)) {
			return nil
		}
	}
	return errNotGenuine
}

func sign(key, text []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func main() {
	raw, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = VerifyHeaders(raw, os.Getenv("WEBHOOK_ID"), os.Getenv("WEBHOOK_TIMESTAMP"),
			os.Getenv("WEBHOOK_SIGNATURE"), os.Getenv("SECRET"))
	}
	var text []byte
	if err == nil {
		text, err = Verify(raw, os.Getenv("PRIVATE_KEY"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var event struct {
		Type string
		Id   int64
	}
	if err := json.Unmarshal(text, &event); err != nil {
		panic(err)
	}
	fmt.Println(event.Type, event.Id)
}
