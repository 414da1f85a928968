package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"

	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/jsonlines"
	"tacho/worker/loadgen/k6/internal/schedule"
)

var start = time.Unix(1_800_000_000, 0)

// fixture is an output that gets samples without k6.
type fixture struct {
	*ScriptOutput
	t        *testing.T
	registry *metrics.Registry
	written  *bytes.Buffer
}

func newFixture(t *testing.T, seconds int) *fixture {
	t.Helper()
	registry, written := metrics.NewRegistry(), &bytes.Buffer{}
	output := &ScriptOutput{
		schedule: &schedule.Schedule{Seconds: seconds},
		lines:    jsonlines.NewWriter(written),
		builtin:  metrics.RegisterBuiltinMetrics(registry),
		report:   newScriptReport(),
		seconds:  seconds,
		window:   window{0, time.Duration(seconds) * time.Second},
	}
	return &fixture{output, t, registry, written}
}

func (f *fixture) tags(scenario string) *metrics.TagSet {
	tags := f.registry.RootTagSet()
	if scenario == "" {
		return tags.With("group", "::setup")
	}
	return tags.With("scenario", scenario).With("status", "200")
}

// request returns a request of a scenario ("" for setup), by its begin since the start.
func (f *fixture) request(scenario string, begin, latency time.Duration) *httpext.Trail {
	trail := &httpext.Trail{
		EndTime:    start.Add(begin + latency),
		Blocked:    latency / 4,
		Connecting: latency / 8,
		Duration:   latency - latency/4,
		Tags:       f.tags(scenario),
	}
	trail.Failed.Valid = true
	return trail
}

func (f *fixture) sample(metric *metrics.Metric, at time.Duration, value float64) metrics.Sample {
	series := metrics.TimeSeries{Metric: metric, Tags: f.tags("load")}
	return metrics.Sample{TimeSeries: series, Time: start.Add(at), Value: value}
}

// pass gives samples to the output, and returns the lines that it writes.
func (f *fixture) pass(isLast bool, containers ...metrics.SampleContainer) []map[string]any {
	f.t.Helper()
	f.AddMetricSamples(containers)
	if err := f.flush(isLast); err != nil {
		f.t.Fatal(err)
	}
	var lines []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(f.written.String()), "\n") {
		var object map[string]any
		if line != "" && json.Unmarshal([]byte(line), &object) != nil {
			f.t.Fatalf("not JSON: %s", line)
		}
		if object != nil {
			lines = append(lines, object)
		}
	}
	f.written.Reset()
	return lines
}

func TestTheLoadBeginsWithItsFirstRequest(t *testing.T) {
	f := newFixture(t, 10)
	early := f.pass(false,
		f.request("", -time.Second, 100*time.Millisecond),
		f.sample(f.builtin.VUs, 500*time.Millisecond, 3),
		f.sample(f.builtin.DroppedIterations, 1200*time.Millisecond, 2),
	)
	if len(early) > 0 {
		t.Fatalf("%v before the first request", early)
	}
	lines := f.pass(false,
		f.request("load", 200*time.Millisecond, 2*time.Second),
		f.request("load", 0, 2200*time.Millisecond),
	)
	if len(lines) != 3 || lines[0]["wall_ns"] != float64(start.UnixNano()) {
		t.Fatalf("lines are %v", lines)
	}
	first, second := lines[1], lines[2]
	if first["requests"] != 2.0 || first["connections_opened"] != 2.0 || first["vus"] != 3.0 {
		t.Errorf("first second is %v", first)
	}
	if second["requests"] != 0.0 || second["dropped"] != 2.0 || second["in_flight"] != 2.0 {
		t.Errorf("second second is %v", second)
	}
	if f.series.Requests != 2 {
		t.Errorf("%d requests", f.series.Requests)
	}
}

func TestSecondsAfterTheLastSignOfLifeAreNotWritten(t *testing.T) {
	f := newFixture(t, 100)
	lines := f.pass(false, f.request("load", 0, time.Millisecond))
	if len(lines) != 1 { // the start
		t.Fatalf("lines are %v", lines)
	}
	// The scenarios are over, and teardown() sends requests.
	lines = f.pass(false,
		f.request("", 5*time.Second, time.Second), f.sample(f.builtin.VUs, 6*time.Second, 0))
	if len(lines) > 0 {
		t.Fatalf("lines are %v", lines)
	}
	if lines = f.pass(true); len(lines) != 1 || lines[0]["second"] != 0.0 {
		t.Errorf("lines are %v", lines)
	}
}

func TestASecondThatHasHardlyBegunIsNotWritten(t *testing.T) {
	for name, test := range map[string]struct {
		begin, life time.Duration // of the last request, and of the last iteration
		expected    int           // seconds
	}{
		"only an end":      {900 * time.Millisecond, 1100 * time.Millisecond, 1},
		"a request":        {1050 * time.Millisecond, 1100 * time.Millisecond, 2},
		"half of a second": {900 * time.Millisecond, 1500 * time.Millisecond, 2},
		"its begin":        {900 * time.Millisecond, time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 10)
			lines := f.pass(true,
				f.request("load", 0, time.Millisecond),
				f.request("load", test.begin, time.Millisecond),
				f.sample(f.builtin.Iterations, test.life, 1),
			)
			if len(lines)-1 != test.expected {
				t.Errorf("%d seconds", len(lines)-1)
			}
		})
	}
}

func TestSecondsWithoutNewIterationsAreNotCounted(t *testing.T) {
	for name, test := range map[string]struct {
		scenarios string
		expected  int
	}{
		"time": {`{"a":{"executor":"constant-vus","vus":1,"duration":"20s"}}`, 20},
		"part of a second": {
			`{"a":{"executor":"constant-vus","vus":1,"duration":"20500ms"}}`, 21},
		"stages": {`{"a":{"executor":"ramping-vus","stages":[{"duration":"5s","target":3},` +
			`{"duration":"7s","target":0}]}}`, 12},
		"later": {`{"a":{"executor":"constant-arrival-rate","rate":1,"duration":"10s",` +
			`"preAllocatedVUs":1,"startTime":"3s"},"b":{"executor":"ramping-arrival-rate",` +
			`"preAllocatedVUs":1,"startTime":"5s","stages":[{"duration":"30s","target":1}]}}`, 32},
		"iterations": {`{"a":{"executor":"constant-vus","vus":1,"duration":"20s"},` +
			`"b":{"executor":"shared-iterations","iterations":3}}`, 100},
		"longer": {`{"a":{"executor":"constant-vus","vus":1,"duration":"500s"}}`, 100},
	} {
		t.Run(name, func(t *testing.T) {
			var scenarios lib.ScenarioConfigs
			if err := json.Unmarshal([]byte(test.scenarios), &scenarios); err != nil {
				t.Fatal(err)
			}
			if seconds := limitSeconds(100, scenarios); seconds != test.expected {
				t.Errorf("%d seconds", seconds)
			}
		})
	}
}

func TestAPauseOfTheScriptIsPartOfTheLoad(t *testing.T) {
	f := newFixture(t, 100)
	f.pass(false, f.request("load", 0, time.Millisecond))
	lines := f.pass(false, f.sample(f.builtin.VUs, 3200*time.Millisecond, 1))
	if len(lines) != 3 {
		t.Errorf("lines are %v", lines)
	}
}

func TestRequestsAfterTheEndAreNotCounted(t *testing.T) {
	f := newFixture(t, 2)
	f.pass(true,
		f.request("load", 0, time.Second),
		f.request("load", 1999*time.Millisecond, time.Second),
		f.request("load", 2*time.Second, time.Second),
		f.sample(f.builtin.DroppedIterations, 2*time.Second, 1),
		f.sample(f.builtin.DataSent, 2*time.Second, 1000),
	)
	if f.series.Requests != 2 || f.series.Dropped != 0 {
		t.Errorf("%d requests, %d dropped", f.series.Requests, f.series.Dropped)
	}
}

func TestBytesAreThoseOfIterations(t *testing.T) {
	f := newFixture(t, 10)
	setup := f.sample(f.builtin.DataReceived, 0, 7)
	setup.Tags = f.tags("")
	lines := f.pass(true,
		f.request("load", 0, time.Millisecond),
		f.sample(f.builtin.DataSent, 0, 1000),
		f.sample(f.builtin.DataReceived, 0, 2000),
		setup,
	)
	if lines[1]["bytes_sent"] != 1000.0 || lines[1]["bytes_received"] != 2000.0 {
		t.Errorf("line is %v", lines[1])
	}
}

func TestTheScriptDecidesWhichRequestsFailed(t *testing.T) {
	f := newFixture(t, 10)
	for name, test := range map[string]struct {
		hasExpectation    bool
		isUnexpected      bool
		status, errorCode string
		expected          string // "" for a success
	}{
		"expected":                 {true, false, "200", "", ""},
		"expected 404":             {true, false, "404", "1404", ""},
		"404":                      {true, true, "404", "1404", "status_4xx"},
		"refused":                  {true, true, "0", "1212", "refused"},
		"503 without expectations": {false, false, "503", "1503", ""},
		"no answer without them":   {false, false, "0", "1050", "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			trail := &httpext.Trail{}
			trail.Failed.Valid, trail.Failed.Bool = test.hasExpectation, test.isUnexpected
			trail.Tags = f.tags("load").With("status", test.status).With("error_code", test.errorCode)
			isFailed, kind := judge(trail)
			if isFailed != (test.expected != "") || isFailed && kind.String() != test.expected {
				t.Errorf("failed is %v, kind is %s", isFailed, kind)
			}
		})
	}
}

func TestATimeoutOfAConnectionHasNoLatency(t *testing.T) {
	f := newFixture(t, 10)
	trail := f.request("load", 0, 0)
	trail.Failed.Bool = true
	trail.Tags = f.tags("load").With("status", "0").With("error_code", "1211")
	lines := f.pass(true, f.request("load", 0, time.Millisecond), trail)
	errors, _ := lines[1]["errors"].(map[string]any)
	if errors[failure.Timeout.String()] != 1.0 || lines[1]["latency_failed"] == "" {
		t.Errorf("line is %v", lines[1])
	}
	if lines[1]["latency_sum_ns"] != float64(time.Millisecond) {
		t.Errorf("line is %v", lines[1])
	}
}

func TestAFinishedLoadWaitsAsLongAsItsSlowestRequestTook(t *testing.T) {
	f := newFixture(t, 100)
	f.pass(false, f.request("load", 0, 3*time.Second))
	now := start.Add(10 * time.Second)
	if f.isOver(now) {
		t.Fatal("over without a signal")
	}
	f.schedule.IsFinished.Store(true)
	for _, test := range []struct {
		afterMs  time.Duration
		expected bool
	}{{0, false}, {2999, false}, {3000, true}} {
		if isOver := f.isOver(now.Add(test.afterMs * time.Millisecond)); isOver != test.expected {
			t.Errorf("over is %v after %d ms", isOver, test.afterMs)
		}
	}
	f.schedule.IsFinished.Store(false)
	if !f.isOver(start.Add(100 * time.Second)) {
		t.Error("not over at the end")
	}
}

func TestAScriptWithoutRequestsEnds(t *testing.T) {
	f := newFixture(t, 10)
	f.pass(false, f.sample(f.builtin.Iterations, 0, 1))
	if f.isOver(start.Add(9*time.Second)) || !f.isOver(start.Add(10*time.Second)) {
		t.Error("not over after 10 s")
	}
}

func TestAnAbortedRunMayEndAgain(t *testing.T) {
	f := newFixture(t, 10)
	calls := 0
	f.stop = func(err error) {
		calls++
		_ = err.Error() // as k6 does if the run was aborted before
	}
	f.stopRun(nil)
	f.stopRun(errors.New("another"))
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

func TestTheReportHasChecksThresholdsAndOwnMetrics(t *testing.T) {
	f := newFixture(t, 10)
	check := func(name string, value float64) metrics.Sample {
		sample := f.sample(f.builtin.Checks, 0, value)
		sample.Tags = sample.Tags.With("check", name)
		return sample
	}
	own := func(name string, kind metrics.MetricType, values ...float64) metrics.Samples {
		metric, samples := f.registry.MustNewMetric(name, kind), metrics.Samples{}
		for _, value := range values {
			samples = append(samples, f.sample(metric, 0, value))
		}
		return samples
	}
	long := strings.Repeat("ä", 300)
	f.pass(false,
		f.request("load", 0, time.Millisecond),
		check("status is 200", 1), check("status is 200", 0), check(long, 1),
		own("orders", metrics.Counter, 2, 3), own("queue", metrics.Gauge, 9, 4),
		own("hits", metrics.Rate, 1, 0, 1, 1), own("wait", metrics.Trend, 1, 2, 3),
		f.sample(f.builtin.GroupDuration, 0, 5),
	)
	thresholds := metrics.NewThresholds([]string{"p(95)<1", "avg<9"})
	thresholds.Thresholds[0].LastFailed = true
	report := f.report.finish(map[string]metrics.Thresholds{"wait": thresholds})
	encoded, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	expected := `{"checks":[{"name":"status is 200","passes":1,"fails":1},` +
		`{"name":"` + strings.Repeat("ä", 199) + `…","passes":1,"fails":0}],` +
		`"thresholds":[{"metric":"wait","threshold":"p(95)\u003c1","passed":false},` +
		`{"metric":"wait","threshold":"avg\u003c9","passed":true}],` +
		`"metrics":[{"name":"orders","type":"counter","value":5},` +
		`{"name":"queue","type":"gauge","value":4},{"name":"hits","type":"rate","value":0.75},` +
		`{"name":"wait","type":"trend","med":2,"p95":2.9}]}`
	if string(encoded) != expected {
		t.Errorf("report is %s", encoded)
	}
}

func TestOwnMetricsCountInTheMeasuredSecondsOnly(t *testing.T) {
	f := newFixture(t, 10)
	f.window = window{2 * time.Second, 4 * time.Second}
	orders := f.registry.MustNewMetric("orders", metrics.Counter)
	containers := []metrics.SampleContainer{f.request("load", 0, time.Millisecond)}
	for at := range 6 {
		containers = append(containers, f.sample(orders, time.Duration(at)*time.Second, 1))
	}
	f.pass(false, containers...)
	if found := *f.report.finish(nil).Metrics[0].Value; found != 2 {
		t.Errorf("%v orders in 2 measured seconds", found)
	}
}

func TestAWindowNeedsTwoIncreasingNumbers(t *testing.T) {
	for _, given := range []string{"", "30", "30:30", "-1:3", "a:b"} {
		if _, err := parseWindow(given); err == nil {
			t.Errorf("%q is accepted", given)
		}
	}
	if found, err := parseWindow("30:45"); err != nil || found.first != 30*time.Second {
		t.Errorf("30:45 is %v, %v", found, err)
	}
}

func TestTheReportIsBounded(t *testing.T) {
	f := newFixture(t, 10)
	containers := []metrics.SampleContainer{f.request("load", 0, time.Millisecond)}
	for number := range 2 * mostReported {
		name := fmt.Sprintf("own_%d", number)
		containers = append(containers, f.sample(f.registry.MustNewMetric(name, metrics.Trend), 0, 1))
		check := f.sample(f.builtin.Checks, 0, 1)
		check.Tags = check.Tags.With("check", name)
		containers = append(containers, check)
	}
	f.pass(false, containers...)
	report := f.report.finish(nil)
	if len(report.Checks) != mostReported || len(report.Metrics) != mostReported {
		t.Errorf("%d checks, %d metrics", len(report.Checks), len(report.Metrics))
	}
}

func TestOnlyTrendsWithThresholdsKeepTheirValues(t *testing.T) {
	f := newFixture(t, 10)
	duration := f.builtin.HTTPReqDuration
	submetric, err := duration.AddSubmetric("expected_response:true")
	if err != nil {
		t.Fatal(err)
	}
	submetric.Metric.Thresholds = metrics.NewThresholds([]string{"p(95)<1"})
	dropUnusedValues(f.builtin)
	kept := slices.Collect(func(yield func(string) bool) {
		for _, metric := range []*metrics.Metric{duration, submetric.Metric, f.builtin.HTTPReqBlocked} {
			if _, isTrend := metric.Sink.(*metrics.TrendSink); isTrend && !yield(metric.Name) {
				return
			}
		}
	})
	if !slices.Equal(kept, []string{submetric.Metric.Name}) {
		t.Errorf("%v keep their values", kept)
	}
}
