// Package failure classifies requests by whether they failed and why.
package failure

import (
	"strconv"

	"go.k6.io/k6/v2/metrics"
)

// Kind is the reason why a request failed, or that a checked response was wrong.
type Kind int

// The kinds of failures. A successful request has the kind Other.
const (
	Timeout Kind = iota
	Refused
	Reset
	Status4xx
	Status5xx
	Check
	Other
	KindCount
)

var names = [KindCount]string{
	"timeout", "refused", "reset", "status_4xx", "status_5xx", "check", "other",
}

// String returns the name of the kind in the output.
func (k Kind) String() string { return names[k] }

// Counts holds a count for each kind.
type Counts [KindCount]int64

// ByName returns the counts of the kinds that occurred, by their names in the output.
func (c Counts) ByName() map[string]int64 {
	named := map[string]int64{}
	for kind, count := range c {
		if count > 0 {
			named[names[kind]] = count
		}
	}
	return named
}

// kindsByK6Code maps k6's error codes (lib/netext/httpext/error_codes.go). HTTP statuses have codes
// of their own: 1000 + status.
var kindsByK6Code = map[string]Kind{
	"1050": Timeout, // request timeout
	"1211": Timeout, // dial timeout
	"1212": Refused,
	"1201": Reset, // broken pipe
	"1220": Reset, // reset by peer
}

// Classify returns whether a request that k6 sent failed, and why. It failed if k6 marks it as
// failed (k6 expects statuses from 200 to 399), if its status was 400 or above, or if it has none.
func Classify(tags *metrics.TagSet, isFailed bool) (bool, Kind) {
	status, _ := tags.Get(metrics.TagStatus.String())
	code, hasCode := tags.Get(metrics.TagErrorCode.String())
	if !isFailed && !hasCode {
		return false, Other
	}
	if number, err := strconv.Atoi(status); err == nil && number >= 400 {
		return ClassifyStatus(number)
	}
	if kind, found := kindsByK6Code[code]; found {
		return true, kind
	}
	return true, Other
}

// ClassifyStatus returns whether a response with this status means failure, and why.
func ClassifyStatus(status int) (bool, Kind) {
	switch {
	case status >= 200 && status < 400:
		return false, Other
	case status >= 400 && status < 500:
		return true, Status4xx
	case status >= 500 && status < 600:
		return true, Status5xx
	default:
		return true, Other
	}
}
