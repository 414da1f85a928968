// Package check compares a response with what its request must be answered.
package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"tacho/worker/loadgen/k6/internal/template"
)

const (
	maxBodyBytes   = 16 << 20 // that a pattern or a comparison can read
	shownBodyBytes = 1200     // UTF-8 of the characters that a wrong answer shows

	// earlyTolerance is how much before its time an item may arrive. Clocks of two processes may
	// differ in their last digit.
	earlyTolerance = 2 * time.Millisecond

	// shortestVisibleDelay is the shortest duration of a stream whose items a client can distinguish.
	shortestVisibleDelay = 50 * time.Millisecond
)

// Given is what lib/load.js passes as `expect`.
type Given struct {
	Status   *StatusRange `json:"status"`
	Type     string       `json:"type"` // of the content, without parameters; empty for any
	Text     *string      `json:"text"`
	Signing  *Signing     `json:"signing"`
	Pattern  *string      `json:"pattern"`
	Bytes    *[2]int64    `json:"bytes"`
	Contains *string      `json:"contains"`
	Stream   *Stream      `json:"stream"`
}

// Signing is what a peer signs, and its key.
type Signing struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// Stream is a body of lines. No line may arrive before its own time.
type Stream struct {
	Items int     `json:"items"`
	GapMs float64 `json:"gapMs"`
}

// StatusRange is an inclusive range of statuses, as a number or a list of two in JSON.
type StatusRange [2]int

// UnmarshalJSON implements json.Unmarshaler.
func (r *StatusRange) UnmarshalJSON(encoded []byte) error {
	var single int
	if json.Unmarshal(encoded, &single) == nil {
		*r = StatusRange{single, single}
		return nil
	}
	var both [2]int
	if err := json.Unmarshal(encoded, &both); err != nil {
		return errors.New("expect.status is neither a number nor a list of two")
	}
	*r = both
	return nil
}

// Expectation is how a request must be answered. Only one goroutine may use it at a time.
type Expectation struct {
	status    StatusRange
	mediaType string
	text      *template.Template // of the whole body
	contained *template.Template
	pattern   *regexp.Regexp
	signature *signature
	bytes     *[2]int64
	stream    *Stream
}

// New returns the expectation that a script describes. If the script draws values, names is not nil,
// and New adds their names to it.
func New(given Given, names *template.Names) (*Expectation, error) {
	made := &Expectation{
		status:    StatusRange{200, 200},
		mediaType: strings.ToLower(given.Type),
		bytes:     given.Bytes,
		stream:    given.Stream,
	}
	if given.Status != nil {
		made.status = *given.Status
	}
	var err error
	if given.Text != nil {
		made.text, err = template.Parse(*given.Text, names,
			template.Nonce, template.Integer, template.Stamp, template.Signature)
		if err != nil {
			return nil, fmt.Errorf("expect.text: %w", err)
		}
	}
	if given.Contains != nil {
		made.contained, err = template.Parse(*given.Contains, names, template.Nonce, template.Integer)
		if err != nil {
			return nil, fmt.Errorf("expect.contains: %w", err)
		}
	}
	if given.Pattern != nil {
		if made.pattern, err = regexp.Compile(*given.Pattern); err != nil {
			return nil, fmt.Errorf("expect.pattern: %w", err)
		}
	}
	if given.Signing != nil {
		if made.signature, err = newSignature(*given.Signing, names); err != nil {
			return nil, fmt.Errorf("expect.signing: %w", err)
		}
	}
	return made, made.validate()
}

func (e *Expectation) validate() error {
	switch {
	case e.status[0] < 100 || e.status[1] < e.status[0] || e.status[1] > 599:
		return fmt.Errorf("expect.status is %v", e.status)
	case e.bytes != nil && (e.bytes[0] < 0 || e.bytes[1] < e.bytes[0]):
		return fmt.Errorf("expect.bytes is %v", *e.bytes)
	case e.stream != nil && (e.stream.Items < 1 || e.stream.GapMs < 0):
		return fmt.Errorf("expect.stream is %v", *e.stream)
	case e.text != nil && e.text.Has(template.Signature) && e.signature == nil:
		return errors.New("expect.text has a {signature}, but there is no expect.signing")
	case e.signature != nil && e.text != nil && !e.text.Has(template.Signature):
		return errors.New("expect.signing is given, but expect.text has no {signature}")
	}
	return nil
}

// BodyLimit returns how many bytes of a body Judge needs.
func (e *Expectation) BodyLimit() int {
	switch {
	case e.pattern != nil || e.signature != nil && e.text == nil:
		return maxBodyBytes
	case e.text != nil && e.text.Has(template.Drawn):
		return maxBodyBytes
	case e.text != nil:
		return max(e.text.MaxLength()+1, shownBodyBytes)
	default:
		return shownBodyBytes
	}
}

// IsStatus reports whether a status is the expected one.
func (e *Expectation) IsStatus(status int) bool {
	return e.status[0] <= status && status <= e.status[1]
}

// NeedsPieces reports whether an Observer must see each piece of the body.
func (e *Expectation) NeedsPieces() bool { return e.contained != nil || e.stream != nil }

// NeedsType reports whether Judge needs the type of the content.
func (e *Expectation) NeedsType() bool { return e.mediaType != "" }

// IsWhole reports whether a right response was compared in full.
func (e *Expectation) IsWhole() bool { return e.text != nil }

// gap returns the time between two items.
func (s *Stream) gap() time.Duration {
	return time.Duration(s.GapMs * float64(time.Millisecond))
}
