package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.k6.io/k6/v2/metrics"
)

// arrivalKey is the key of k6's metadata with the arrival of a request.
const arrivalKey = "tacho_arrival"

// Arrival is the begin of an iteration of k6. A virtual user attaches it to the first request of the
// iteration, which waits for no response.
type Arrival struct {
	Iteration int64         // its number among the iterations of all load generators
	Begun     time.Duration // since the start of the load
}

// Attach makes k6 pass the arrival to the output with the next requests.
func (a Arrival) Attach(to *metrics.TagsAndMeta) {
	to.SetMetadata(arrivalKey, fmt.Sprintf("%d %d", a.Iteration, a.Begun.Nanoseconds()))
}

// DetachArrival ends the effect of Attach.
func DetachArrival(from *metrics.TagsAndMeta) { from.DeleteMetadata(arrivalKey) }

// FindArrival returns the arrival of a request, and false if it has none.
func FindArrival(metadata map[string]string) (Arrival, bool) {
	iteration, begun, found := strings.Cut(metadata[arrivalKey], " ")
	if !found {
		return Arrival{}, false
	}
	number, err := strconv.ParseInt(iteration, 10, 64)
	if err != nil {
		return Arrival{}, false
	}
	since, err := strconv.ParseInt(begun, 10, 64)
	return Arrival{Iteration: number, Begun: time.Duration(since)}, err == nil
}
