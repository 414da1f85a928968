package module

import (
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// feedSize is the number of samples that are passed to k6 at a time.
const feedSize = 512

// feed passes each request of a sender to k6's metrics, independently of the tally, so that k6
// counts the requests itself. It uses about as much CPU time as the request, so it is used only on
// demand.
type feed struct {
	state   *lib.State
	tags    map[bool]*metrics.TagSet // by whether the request failed
	samples metrics.Samples
}

func newFeed(state *lib.State) *feed {
	return &feed{state: state, tags: map[bool]*metrics.TagSet{}}
}

// Add implements sender.Feed.
func (f *feed) Add(end time.Time, latency time.Duration, isFailed bool) {
	tags, found := f.tags[isFailed]
	if !found {
		expected := "true"
		if isFailed {
			expected = "false"
		}
		tags = f.state.Tags.GetCurrentValues().Tags.
			With(metrics.TagExpectedResponse.String(), expected)
		f.tags[isFailed] = tags
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
