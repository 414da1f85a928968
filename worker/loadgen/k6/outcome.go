package main

import (
	"strconv"

	"go.k6.io/k6/v2/metrics"
)

// errorKind is the reason why a request failed, or that a checked response was wrong.
type errorKind int

const (
	errorTimeout errorKind = iota
	errorRefused
	errorReset
	errorStatus4xx
	errorStatus5xx
	errorCheck
	errorOther
	errorKindCount
)

var errorNames = [errorKindCount]string{
	"timeout", "refused", "reset", "status_4xx", "status_5xx", "check", "other",
}

// namedErrors keeps the kinds that occurred.
func namedErrors(counts [errorKindCount]int64) map[string]int64 {
	named := map[string]int64{}
	for kind, count := range counts {
		if count > 0 {
			named[errorNames[kind]] = count
		}
	}
	return named
}

// errorKinds are k6's error codes (lib/netext/httpext/error_codes.go). HTTP statuses have
// their own: 1000 + status.
var errorKinds = map[string]errorKind{
	"1050": errorTimeout, // request timeout
	"1211": errorTimeout, // dial timeout
	"1212": errorRefused,
	"1201": errorReset, // broken pipe
	"1220": errorReset, // reset by peer
}

// classify reads a request's outcome from its tags. A request failed if k6 marks it so (its
// expected statuses are 200 to 399), if it got a status of 400 or above, or if it got none.
func classify(tags *metrics.TagSet, isFailed bool) (bool, errorKind) {
	status, _ := tags.Get(metrics.TagStatus.String())
	code, hasCode := tags.Get(metrics.TagErrorCode.String())
	if !isFailed && !hasCode {
		return false, errorOther
	}
	if number, err := strconv.Atoi(status); err == nil && number >= 400 {
		return classifyStatus(number)
	}
	if kind, found := errorKinds[code]; found {
		return true, kind
	}
	return true, errorOther
}

// classifyStatus reads the outcome of an answered request from its status, likewise.
func classifyStatus(status int) (bool, errorKind) {
	switch {
	case status >= 200 && status < 400:
		return false, errorOther
	case status >= 400 && status < 500:
		return true, errorStatus4xx
	case status >= 500 && status < 600:
		return true, errorStatus5xx
	default:
		return true, errorOther
	}
}
