package check

import (
	"bytes"
	"fmt"
	"time"

	"tacho/worker/loadgen/k6/internal/template"
)

// fault is the first check that a response failed.
type fault int

const (
	isRight fault = iota
	isStatusWrong
	isTypeWrong
	isExcessive
	isTextWrong
	isSignatureWrong
	isPatternWrong
	isLengthWrong
	isPartMissing
	isStreamCut
	isItemEarly
)

// Verdict is what the checks of a response found.
type Verdict struct {
	IsAnswered bool // it has the expected status
	IsSigned   bool
	IsBunched  bool

	fault fault
}

// IsWrong reports whether the response failed a check.
func (v Verdict) IsWrong() bool { return v.fault != isRight }

// Observer checks a response while its bytes arrive.
type Observer struct {
	expectation *Expectation
	values      *template.Values

	needle   []byte // that the body must contain
	carried  []byte // the end of the pieces so far, in which the needle may begin
	isFound  bool
	arrivals []time.Duration // of whole lines
	last     byte
}

// Begin prepares for the response to a request with these values.
func (o *Observer) Begin(expectation *Expectation, values *template.Values) {
	o.expectation, o.values = expectation, values
	if !expectation.NeedsPieces() {
		return
	}
	o.carried, o.isFound = o.carried[:0], false
	o.arrivals, o.last = o.arrivals[:0], 0
	if expectation.contained != nil {
		o.needle = expectation.contained.Append(o.needle[:0], values)
		o.isFound = len(o.needle) == 0
	}
}

// Watch takes the next piece of the body, which arrived this long after the request was sent.
func (o *Observer) Watch(piece []byte, at time.Duration) {
	if o.expectation.contained != nil && !o.isFound {
		o.search(piece)
	}
	if o.expectation.stream != nil && len(piece) > 0 {
		o.last = piece[len(piece)-1]
		for range bytes.Count(piece, []byte{'\n'}) {
			if len(o.arrivals) <= o.expectation.stream.Items {
				o.arrivals = append(o.arrivals, at)
			}
		}
	}
}

// search looks for the needle in a piece, and where the pieces meet.
func (o *Observer) search(piece []byte) {
	reach := len(o.needle) - 1
	o.carried = append(o.carried, piece[:min(len(piece), reach)]...)
	o.isFound = bytes.Contains(o.carried, o.needle) || bytes.Contains(piece, o.needle)
	if len(piece) >= reach {
		o.carried = append(o.carried[:0], piece[len(piece)-reach:]...)
	} else if beyond := len(o.carried) - reach; beyond > 0 {
		o.carried = append(o.carried[:0], o.carried[beyond:]...)
	}
}

// Response is a complete response.
type Response struct {
	Status   int
	Type     []byte // the header Content-Type
	Body     []byte // may be cut to the expectation's BodyLimit
	Length   int64  // of the whole body
	HasExtra bool   // bytes followed that belong to no response
}

// Judge checks a complete response.
func (o *Observer) Judge(r Response) Verdict {
	e := o.expectation
	if !e.IsStatus(r.Status) {
		return Verdict{fault: isStatusWrong}
	}
	verdict := Verdict{IsAnswered: true}
	verdict.fault = o.findFault(r)
	verdict.IsSigned = e.signature != nil && verdict.fault == isRight
	verdict.IsBunched = e.stream != nil && verdict.fault == isRight && o.isBunched()
	return verdict
}

func (o *Observer) findFault(r Response) fault {
	e, body, length := o.expectation, r.Body, r.Length
	isWhole := length == int64(len(body))
	switch {
	case r.HasExtra:
		return isExcessive
	case e.mediaType != "" && !e.isType(r.Type):
		return isTypeWrong
	case e.bytes != nil && (length < e.bytes[0] || length > e.bytes[1]):
		return isLengthWrong
	case e.text != nil && !(isWhole && e.text.Match(body, o.values)):
		return isTextWrong
	case e.signature != nil && e.text == nil && !(isWhole && findSigned(body, o.values)):
		return isSignatureWrong
	case e.signature != nil && !e.signature.isValid(o.values):
		return isSignatureWrong
	case e.pattern != nil && !(isWhole && e.pattern.Match(body)):
		return isPatternWrong
	case e.contained != nil && !o.isFound:
		return isPartMissing
	case e.stream != nil && (len(o.arrivals) != e.stream.Items || o.last != '\n'):
		return isStreamCut
	case e.stream != nil && o.findEarly() >= 0:
		return isItemEarly
	}
	return isRight
}

// isType reports whether the header Content-Type has the expected type, with any parameters.
func (e *Expectation) isType(header []byte) bool {
	found, _, _ := bytes.Cut(header, []byte(";"))
	found = bytes.TrimSpace(found)
	if len(found) != len(e.mediaType) {
		return false
	}
	for index, letter := range found {
		if 'A' <= letter && letter <= 'Z' {
			letter += 'a' - 'A'
		}
		if letter != e.mediaType[index] {
			return false
		}
	}
	return true
}

// findEarly returns the index of an item that arrived before its time, or -1.
func (o *Observer) findEarly() int {
	gap := o.expectation.stream.gap()
	for index, at := range o.arrivals {
		if at < time.Duration(index+1)*gap-earlyTolerance {
			return index
		}
	}
	return -1
}

// isBunched reports whether too few of the gaps between items are as long as a quarter of the delay
// between them: at least seven of nine must be. Short delays are not visible to a client.
func (o *Observer) isBunched() bool {
	stream := o.expectation.stream
	gap := stream.gap()
	if time.Duration(stream.Items)*gap < shortestVisibleDelay {
		return false
	}
	visible := 0
	for index := 1; index < len(o.arrivals); index++ {
		if o.arrivals[index]-o.arrivals[index-1] >= gap/4 {
			visible++
		}
	}
	return 9*visible < 7*(stream.Items-1)
}

// Explain returns what was expected of a wrong response, and what came instead.
func (o *Observer) Explain(verdict Verdict, r Response) (expected, got string) {
	e, body, length := o.expectation, r.Body, r.Length
	shown := body[:min(len(body), shownBodyBytes)]
	got = fmt.Sprintf("%d bytes: %s", length, shown)
	switch verdict.fault {
	case isStatusWrong:
		expected = fmt.Sprintf("status %d", e.status[0])
		if e.status[1] > e.status[0] {
			expected += fmt.Sprintf(" to %d", e.status[1])
		}
		got = fmt.Sprintf("status %d, %s", r.Status, got)
	case isTypeWrong:
		expected, got = "Content-Type "+e.mediaType, fmt.Sprintf("Content-Type %q", r.Type)
	case isExcessive:
		expected = "nothing after the response"
		got = fmt.Sprintf("more bytes after a response of %s", got)
	case isTextWrong:
		expected, got = e.text.Describe(o.values), string(shown)
		if length > int64(len(body)) {
			got = fmt.Sprintf("%d bytes: %s", length, shown)
		}
	case isSignatureWrong:
		expected = "a stamp and its signature"
		if o.values.Signature != nil {
			expected = fmt.Sprintf("signature %s of %q", e.signature.sign(o.values), e.signature.signed)
		}
	case isPatternWrong:
		expected = fmt.Sprintf("a body that matches %s", e.pattern)
	case isLengthWrong:
		expected = fmt.Sprintf("%d to %d bytes", e.bytes[0], e.bytes[1])
	case isPartMissing:
		expected = fmt.Sprintf("a body that contains %s", o.needle)
	case isStreamCut:
		expected = fmt.Sprintf("%d lines", e.stream.Items)
		got = fmt.Sprintf("%d lines, %s", len(o.arrivals), got)
	case isItemEarly:
		index := o.findEarly()
		earliest := time.Duration(index+1)*e.stream.gap() - earlyTolerance
		expected = fmt.Sprintf("line %d after at least %.1f ms", index+1, inMs(earliest))
		got = fmt.Sprintf("line %d after %.1f ms", index+1, inMs(o.arrivals[index]))
	}
	return expected, got
}

func inMs(duration time.Duration) float64 { return float64(duration) / float64(time.Millisecond) }
