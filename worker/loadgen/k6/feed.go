package main

import (
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// feedSize is how many samples k6 gets at a time.
const feedSize = 512

// k6Feed gives a sender's requests to k6's metrics, one by one and not from the tally, so
// that k6 counts them by itself. Costs about as much as the request: only on demand.
type k6Feed struct {
	state   *lib.State
	tags    map[bool]*metrics.TagSet // by whether the request failed
	samples metrics.Samples
}

func newK6Feed(state *lib.State) *k6Feed {
	return &k6Feed{state: state, tags: map[bool]*metrics.TagSet{}}
}

func (f *k6Feed) add(end time.Time, latency time.Duration, isFailed bool) {
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
		f.flush()
	}
}

// flush hands over what has gathered. k6 reads until every iteration has returned.
func (f *k6Feed) flush() {
	f.state.Samples <- f.samples
	f.samples = nil
}
