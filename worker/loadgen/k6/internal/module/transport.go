package module

import (
	"net/http"
	"net/http/httptrace"
)

// countingTransport counts the requests that Go's HTTP client sends again: idempotent ones, and those
// of which no byte was sent, on a connection that the service has closed. One virtual user has it.
type countingTransport struct {
	http.RoundTripper
	resent int64
}

// RoundTrip implements http.RoundTripper.
func (t *countingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	attempts := int64(0)
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { attempts++ }}
	traced := request.WithContext(httptrace.WithClientTrace(request.Context(), trace))
	response, err := t.RoundTripper.RoundTrip(traced)
	t.resent += max(attempts-1, 0)
	return response, err
}

// takeResent returns how often requests were sent again since the last call.
func (t *countingTransport) takeResent() int64 {
	resent := t.resent
	t.resent = 0
	return resent
}
