package receiver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

type vector struct {
	Name       string
	BodyBase64 []byte
	Headers    map[string]string
	Keys       struct{ PrivateKeys, Secrets, PublicKeys []string }
	Now        int64

	ToleranceSeconds int
	Expected         struct {
		Class  string
		Fields map[string]string
		Error  Failure
	}
}

func (vector vector) verify() (Event, error) {
	receiver, err := New(Options{
		PrivateKeys: vector.Keys.PrivateKeys,
		Secrets:     vector.Keys.Secrets,
		PublicKeys:  vector.Keys.PublicKeys,
		Tolerance:   time.Duration(vector.ToleranceSeconds) * time.Second,
		Now:         func() time.Time { return time.Unix(vector.Now, 0) },
	})
	if err != nil {
		return nil, err
	}
	return receiver.Verify(vector.BodyBase64, headers(vector.Headers))
}

type headers map[string]string

func (headers headers) Get(wanted string) string {
	for name, value := range headers {
		if strings.EqualFold(name, wanted) {
			return value
		}
	}
	return ""
}

func vectors(t *testing.T) []vector {
	t.Helper()
	text, err := os.ReadFile("../vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Vectors
}

func verifyVector(t *testing.T, name string) Event {
	t.Helper()
	for _, vector := range vectors(t) {
		if vector.Name == name {
			event, err := vector.verify()
			if err != nil {
				t.Fatal(err)
			}
			return event
		}
	}
	t.Fatalf("no vector %q", name)
	return nil
}

func TestVectors(t *testing.T) {
	all := vectors(t)
	if len(all) < 50 {
		t.Fatalf("only %d vectors", len(all))
	}
	for _, vector := range all {
		t.Run(vector.Name, func(t *testing.T) {
			event, err := vector.verify()
			var failure *VerificationError
			if vector.Expected.Error != "" {
				if !errors.As(err, &failure) || failure.Code != vector.Expected.Error {
					t.Fatalf("expected %s, got %v", vector.Expected.Error, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if class := strings.TrimPrefix(fmt.Sprintf("%T", event), "*receiver."); class != vector.Expected.Class {
				t.Errorf("expected %s, got %s", vector.Expected.Class, class)
			}
			fields := map[string]any{}
			decoder := json.NewDecoder(bytes.NewReader(event.Frame().Raw))
			decoder.UseNumber()
			if err := decoder.Decode(&fields); err != nil {
				t.Fatal(err)
			}
			for name, value := range vector.Expected.Fields {
				if fmt.Sprint(fields[name]) != value {
					t.Errorf("%s: expected %q, got %q", name, value, fields[name])
				}
			}
			if id := fmt.Sprint(event.Frame().ID); id != vector.Expected.Fields["id"] {
				t.Errorf("ID: expected %s, got %s", vector.Expected.Fields["id"], id)
			}
		})
	}
}

func TestTypedEvents(t *testing.T) {
	check, isCheck := verifyVector(t, "event type LISTING_DATAPOINT_CHECK").(*ListingDatapointCheckEvent)
	if !isCheck || check.SalesPartnerIdentifier != "hansekontor" || !check.NewDatapointsFound || len(check.NewDataPointIDs) == 0 {
		t.Errorf("unexpected fields: %+v", check)
	}
	change, isChange := verifyVector(t, "unknown status value").(*LocationStatusChangedEvent)
	if !isChange || change.From != LocationStatusActive || change.To != "MOVED" {
		t.Errorf("unexpected fields: %+v", change)
	}
}

func TestFieldsOfOtherTypes(t *testing.T) {
	text := `{"id":184467,"location":{"id":1},"type":"LOCATION_CREATED"}`
	event, err := typedEvent([]byte(text))
	unknown, isUnknown := event.(*UnknownEvent)
	if err != nil || !isUnknown || unknown.ID != 184467 || unknown.Type != "LOCATION_CREATED" || string(unknown.Raw) != text {
		t.Errorf("unexpected event %+v, error %v", event, err)
	}
}

func TestEventsThatAreNoObjects(t *testing.T) {
	for _, text := range []string{"null", "5", `"text"`, "[]", ""} {
		var failure *VerificationError
		if _, err := typedEvent([]byte(text)); !errors.As(err, &failure) || failure.Code != BodyUnreadable {
			t.Errorf("%q: unexpected error %v", text, err)
		}
	}
}

func TestInvalidOptions(t *testing.T) {
	for _, options := range []Options{
		{},
		{PrivateKeys: []string{""}},
		{Secrets: []string{"whsec_"}},
		{Secrets: []string{"whsec_?"}},
		{PublicKeys: []string{"whpk_AAAA"}},
	} {
		if _, err := New(options); err == nil {
			t.Errorf("no error for %+v", options)
		}
	}
}

func TestMessagesContainNoKey(t *testing.T) {
	for _, vector := range vectors(t) {
		if _, err := vector.verify(); err != nil {
			for _, key := range append(vector.Keys.PrivateKeys, vector.Keys.Secrets...) {
				if strings.Contains(err.Error(), key) {
					t.Errorf("%s: the message contains a key", vector.Name)
				}
			}
		}
	}
}
