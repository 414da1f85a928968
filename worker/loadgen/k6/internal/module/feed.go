package module

import (
	"strconv"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"tacho/worker/loadgen/k6/internal/failure"
)

// feedSize is the number of samples that are passed to k6 at a time.
const feedSize = 512

// feed passes each request of a sender to k6's metrics, independently of the tally, so that k6
// counts the requests itself. It uses about as much CPU time as the request, so it is used only on
// demand.
type feed struct {
	state   *lib.State
	tags    map[requestClass]*metrics.TagSet
	samples metrics.Samples
}

// requestClass is what k6's metrics distinguish.
type requestClass struct{ isFailed, isControl bool }

func newFeed(state *lib.State) *feed {
	return &feed{state: state, tags: map[requestClass]*metrics.TagSet{}}
}

// Add implements sender.Feed.
func (f *feed) Add(end time.Time, latency time.Duration, isFailed, isControl bool) {
	class := requestClass{isFailed, isControl}
	tags, found := f.tags[class]
	if !found {
		control := "no"
		if isControl {
			control = "yes"
		}
		tags = f.state.Tags.GetCurrentValues().Tags.
			With(metrics.TagExpectedResponse.String(), strconv.FormatBool(!isFailed)).
			With(failure.ControlTag, control)
		f.tags[class] = tags
	}
	sample := func(metric *metrics.Metric, value float64) metrics.Sample {
		return metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags}, Time: end, Value: value,
		}
	}
	f.samples = append(f.samples,
		sample(f.state.BuiltinMetrics.HTTPReqs, 1),
		sample(f.state.BuiltinMetrics.HTTPReqDuration, metrics.D(latency)))
	if len(f.samples) >= feedSize {
		f.Flush()
	}
}

// Flush implements sender.Feed. k6 receives samples until every iteration has returned.
func (f *feed) Flush() {
	f.state.Samples <- f.samples
	f.samples = nil
}
