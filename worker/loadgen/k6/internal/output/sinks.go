package output

import (
	"time"

	"go.k6.io/k6/v2/metrics"
)

// noSink forgets each value. It implements metrics.Sink.
type noSink struct{}

// Add implements metrics.Sink.
func (noSink) Add(metrics.Sample) {}

// Format implements metrics.Sink.
func (noSink) Format(time.Duration) map[string]float64 { return nil }

// IsEmpty implements metrics.Sink.
func (noSink) IsEmpty() bool { return true }

// dropUnusedValues bounds the memory of k6's engine, which keeps every value of each trend: eight for
// each request. Only thresholds need them. The engine has none of its goroutines yet when outputs
// start, and has assigned the thresholds to their metrics.
func dropUnusedValues(builtin *metrics.BuiltinMetrics) {
	for _, trend := range []*metrics.Metric{
		builtin.HTTPReqDuration,
		builtin.HTTPReqBlocked,
		builtin.HTTPReqConnecting,
		builtin.HTTPReqTLSHandshaking,
		builtin.HTTPReqSending,
		builtin.HTTPReqWaiting,
		builtin.HTTPReqReceiving,
		builtin.IterationDuration,
		builtin.GroupDuration,
	} {
		dropValues(trend)
		for _, submetric := range trend.Submetrics {
			dropValues(submetric.Metric)
		}
	}
}

func dropValues(trend *metrics.Metric) {
	if len(trend.Thresholds.Thresholds) == 0 {
		trend.Sink = noSink{}
	}
}
