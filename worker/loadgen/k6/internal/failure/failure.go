// Package failure classifies requests by whether they failed and why.
package failure

// Kind is the reason why a request failed, or that its response was wrong.
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

// ControlTag is the tag of k6's metrics for requests that the service must refuse. Its value is "yes"
// or "no".
const ControlTag = "control"

// ClassifyStatus returns whether a response with this status means failure, and why. A status below
// 400 that is not expected is a wrong answer.
// Another status of a control request below 500 is wrong too, such as 404 instead of 401.
func ClassifyStatus(status int, isExpected, isControl bool) (bool, Kind) {
	switch {
	case isExpected:
		return false, Other
	case status >= 200 && status < 400, status >= 400 && status < 500 && isControl:
		return true, Check
	case status >= 400 && status < 500:
		return true, Status4xx
	case status >= 500 && status < 600:
		return true, Status5xx
	default:
		return true, Other
	}
}
