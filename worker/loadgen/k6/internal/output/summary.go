package output

import (
	"fmt"

	"go.k6.io/k6/v2/metrics"
)

// k6Summary holds k6's own counts of the complete load. They come from the sinks of k6's metrics
// engine, which is independent of this output. Latencies are those of the expected responses, in
// milliseconds.
type k6Summary struct {
	Requests  int64   `json:"requests"`
	Succeeded uint64  `json:"succeeded"`
	P50Ms     float64 `json:"p50_ms"`
	P90Ms     float64 `json:"p90_ms"`
	P95Ms     float64 `json:"p95_ms"`
	P99Ms     float64 `json:"p99_ms"`
	P999Ms    float64 `json:"p999_ms"`
	MaxMs     float64 `json:"max_ms"`
	SumMs     float64 `json:"sum_ms"`
}

// The sub-metric exists because lib/profiles.js uses it in a threshold. With thresholds, k6 stops
// its engine before it stops the outputs, so the values are final.
const summaryLatencies = "http_req_duration{expected_response:true,control:no}"

func readSummary(builtin *metrics.BuiltinMetrics) (*k6Summary, error) {
	requests, isCounter := builtin.HTTPReqs.Sink.(*metrics.CounterSink)
	latencies := findLatencies(builtin.HTTPReqDuration)
	if !isCounter || latencies == nil {
		return nil, fmt.Errorf(
			"k6 keeps no %s: are the thresholds of lib/profiles.js set?", summaryLatencies)
	}
	return &k6Summary{
		Requests:  int64(requests.Value),
		Succeeded: latencies.Count(),
		P50Ms:     latencies.P(0.50),
		P90Ms:     latencies.P(0.90),
		P95Ms:     latencies.P(0.95),
		P99Ms:     latencies.P(0.99),
		P999Ms:    latencies.P(0.999),
		MaxMs:     latencies.Max(),
		SumMs:     latencies.Total(),
	}, nil
}

func findLatencies(metric *metrics.Metric) *metrics.TrendSink {
	for _, submetric := range metric.Submetrics {
		if sink, isTrend := submetric.Metric.Sink.(*metrics.TrendSink); isTrend &&
			submetric.Name == summaryLatencies {
			return sink
		}
	}
	return nil
}
