package output

import (
	"math"
	"slices"
	"strings"

	"go.k6.io/k6/v2/metrics"
)

const (
	mostReported    = 100
	shownCharacters = 200
)

// scriptReport is what a script tested itself in the whole run, and what it measured itself in the
// measured seconds. It has at most 100 checks, 100 thresholds and 100 metrics.
type scriptReport struct {
	Checks     []*checkCount     `json:"checks"`
	Thresholds []thresholdResult `json:"thresholds"`
	Metrics    []metricValue     `json:"metrics"`

	checksByName map[string]*checkCount // nil for a check that is left out
	builtin      map[string]bool
	custom       []*customMetric
	sinks        map[*metrics.Metric]metrics.Sink // nil for a metric that is left out
}

// checkCount counts the checks of a name, in all groups.
type checkCount struct {
	Name   string `json:"name"`
	Passes int64  `json:"passes"`
	Fails  int64  `json:"fails"`
}

type thresholdResult struct {
	Metric    string `json:"metric"`
	Threshold string `json:"threshold"`
	Passed    bool   `json:"passed"`
}

// metricValue is a metric of the script. The value of a counter is its sum, that of a gauge the last,
// and that of a rate the share of values that are not 0. A trend has its median and its p95 instead.
type metricValue struct {
	Name  string             `json:"name"`
	Type  metrics.MetricType `json:"type"`
	Value *float64           `json:"value,omitempty"`
	Med   *float64           `json:"med,omitempty"`
	P95   *float64           `json:"p95,omitempty"`
}

type customMetric struct {
	metric *metrics.Metric
	sink   metrics.Sink
}

func newScriptReport() *scriptReport {
	registry := metrics.NewRegistry()
	metrics.RegisterBuiltinMetrics(registry)
	builtin := map[string]bool{}
	for _, metric := range registry.All() {
		builtin[metric.Name] = true
	}
	return &scriptReport{
		Checks:       []*checkCount{},
		Thresholds:   []thresholdResult{},
		Metrics:      []metricValue{},
		checksByName: map[string]*checkCount{},
		builtin:      builtin,
		sinks:        map[*metrics.Metric]metrics.Sink{},
	}
}

// addCheck counts a check.
func (r *scriptReport) addCheck(sample metrics.Sample) {
	name, _ := sample.Tags.Get(metrics.TagCheck.String())
	check, found := r.checksByName[name]
	if !found {
		if len(r.Checks) == mostReported {
			return
		}
		check = &checkCount{Name: cutName(name)}
		r.Checks = append(r.Checks, check)
		r.checksByName[name] = check
	}
	if sample.Value != 0 {
		check.Passes++
	} else {
		check.Fails++
	}
}

// addMetric adds a value of a metric, unless it is a metric of k6 itself.
//
// k6's engine has sinks too, but still fills them while outputs stop.
func (r *scriptReport) addMetric(sample metrics.Sample) {
	sink, found := r.sinks[sample.Metric]
	if !found {
		if !r.builtin[sample.Metric.Name] && len(r.custom) < mostReported {
			sink = metrics.NewSink(sample.Metric.Type)
			r.custom = append(r.custom, &customMetric{sample.Metric, sink})
		}
		r.sinks[sample.Metric] = sink
	}
	if sink != nil {
		sink.Add(sample)
	}
}

// finish adds the results of the thresholds and the values of the metrics.
func (r *scriptReport) finish(thresholds map[string]metrics.Thresholds) *scriptReport {
	names := make([]string, 0, len(thresholds))
	for name := range thresholds {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, threshold := range thresholds[name].Thresholds {
			if len(r.Thresholds) == mostReported {
				break
			}
			r.Thresholds = append(r.Thresholds, thresholdResult{
				Metric:    cutName(name),
				Threshold: cutName(threshold.Source),
				Passed:    !threshold.LastFailed,
			})
		}
	}
	for _, custom := range r.custom {
		r.Metrics = append(r.Metrics, custom.read())
	}
	return r
}

// read returns the value of a metric.
func (m *customMetric) read() metricValue {
	value := metricValue{Name: cutName(m.metric.Name), Type: m.metric.Type}
	switch sink := m.sink.(type) {
	case *metrics.CounterSink:
		value.Value = finite(sink.Value)
	case *metrics.GaugeSink:
		value.Value = finite(sink.Value)
	case *metrics.RateSink:
		value.Value = finite(float64(sink.Trues) / float64(sink.Total))
	case *metrics.TrendSink:
		value.Med, value.P95 = finite(sink.P(0.5)), finite(sink.P(0.95))
	}
	return value
}

// finite returns a number that JSON can hold, or nil.
func finite(value float64) *float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	return &value
}

// cutName returns the first 200 characters of a name.
func cutName(name string) string {
	name = strings.ToValidUTF8(name, "�")
	if letters := []rune(name); len(letters) > shownCharacters {
		return string(letters[:shownCharacters-1]) + "…"
	}
	return name
}
