package receiver

import "encoding/json"

// Event is a pointer to one of the event types, such as *LocationCreatedEvent, or *UnknownEvent.
type Event interface {
	// Frame returns the fields that every event has.
	Frame() *EventFrame
}

// Frame returns the fields that every event has.
func (frame *EventFrame) Frame() *EventFrame { return frame }

// UnknownEvent is an event whose type is newer than this package, or whose fields have other types. Raw has its text.
type UnknownEvent struct {
	EventFrame
}

// typedEvent decodes the text of an event. Unknown types and fields are not an error.
func typedEvent(text []byte) (Event, error) {
	var kind *struct {
		Type json.RawMessage `json:"type"`
	}
	err := json.Unmarshal(text, &kind)
	if err != nil && !json.Valid(text) {
		return nil, unreadable("is not JSON")
	}
	// Null is no error and leaves kind nil.
	if err != nil || kind == nil {
		return nil, unreadable("has an event that is not an object")
	}
	var name string
	_ = json.Unmarshal(kind.Type, &name)
	event := newEvent(name)
	if event == nil || json.Unmarshal(text, event) != nil {
		event = &UnknownEvent{}
		// Fields of other types keep their zero values.
		_ = json.Unmarshal(text, event)
	}
	event.Frame().Raw = text
	return event, nil
}
