package failure

// Some error codes of k6's HTTP client. Its package httpext does not export them.
const (
	k6Timeout     = 1050
	k6BrokenPipe  = 1201
	k6DialTimeout = 1211
	k6DialRefused = 1212
	k6Reset       = 1220
)

// ClassifyK6 returns why a request of k6's HTTP client failed, from its tags error_code and status. Without
// a response, the status is 0.
func ClassifyK6(errorCode, status int) Kind {
	switch errorCode {
	case k6Timeout, k6DialTimeout:
		return Timeout
	case k6DialRefused:
		return Refused
	case k6BrokenPipe, k6Reset:
		return Reset
	}
	_, kind := ClassifyStatus(status, false, false)
	return kind
}
