package series

import (
	"math"
	"testing"
	"time"

	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/histogram"
)

var testStart = time.Unix(1_700_000_000, 0)

func at(seconds float64) time.Time {
	return testStart.Add(time.Duration(seconds * float64(time.Second)))
}

// add counts a request that ended at an instant, after this latency from its send.
func (s *Series) add(end time.Time, latency time.Duration, isControl, isFailed bool, kind failure.Kind) {
	s.AddRequest(Timing{Sent: end.Add(-latency), End: end}, isControl, isFailed, kind)
}

func (s *Series) mustTake(t *testing.T, now float64, isLast bool, seconds ...int) []Line {
	t.Helper()
	lines := s.TakeLines(at(now), isLast)
	if len(lines) != len(seconds) {
		t.Fatalf("%d lines at %.2f s, want those of %v: %+v", len(lines), now, seconds, lines)
	}
	for index, line := range lines {
		if line.Second != seconds[index] {
			t.Fatalf("line %d is of second %d, want %d", index, line.Second, seconds[index])
		}
	}
	return lines
}

func TestRequestBelongsToTheSecondInWhichItWasSent(t *testing.T) {
	s := New(testStart, 3)
	s.add(at(1.2), 500*time.Millisecond, false, false, failure.Other) // sent at 0.7
	lines := s.mustTake(t, 2.2, false, 0, 1)
	if lines[0].Requests != 1 || lines[1].Requests != 0 {
		t.Errorf("requests %d, %d, want 1, 0", lines[0].Requests, lines[1].Requests)
	}
	if math.Abs(lines[0].InFlight-0.3) > 1e-9 || math.Abs(lines[1].InFlight-0.2) > 1e-9 {
		t.Errorf("in flight %v, %v, want 0.3, 0.2", lines[0].InFlight, lines[1].InFlight)
	}
	if lines[0].LatencySumNs != 5e8 || lines[0].LatencyMaxNs != 5e8 {
		t.Errorf("sum %d, max %d, want 5e8", lines[0].LatencySumNs, lines[0].LatencyMaxNs)
	}
}

func TestRequestsOutsideTheLoadBelongToItsEdges(t *testing.T) {
	s := New(testStart, 2)
	s.add(at(0.1), 200*time.Millisecond, false, false, failure.Other) // sent at -0.1
	s.add(at(3.5), time.Second, false, false, failure.Other)          // sent at 2.5
	lines := s.mustTake(t, 4, true, 0, 1)
	if lines[0].Requests != 1 || lines[1].Requests != 1 {
		t.Errorf("requests %d, %d, want 1, 1", lines[0].Requests, lines[1].Requests)
	}
	if math.Abs(lines[0].InFlight-0.1) > 1e-9 || lines[1].InFlight != 0 {
		t.Errorf("in flight %v, %v, want 0.1, 0", lines[0].InFlight, lines[1].InFlight)
	}
}

func TestLinesAreWrittenOncePerSecondAndLateResponsesFollow(t *testing.T) {
	s := New(testStart, 3)
	s.mustTake(t, 1.05, false)   // responses may still arrive
	s.mustTake(t, 1.2, false, 0) // a second without requests has a line too
	s.add(at(1.3), time.Second, false, true, failure.Timeout)
	s.mustTake(t, 1.5, false) // late, but the next second has not passed
	late := s.mustTake(t, 2.2, false, 0, 1)[0]
	if late.Requests != 1 || late.Failed != 1 || late.Errors["timeout"] != 1 {
		t.Errorf("late line %+v, want 1 request that timed out", late)
	}
	if late.Latency == "" || late.LatencyFailed != "" || late.LatencySumNs != 1e9 {
		t.Errorf("late line %+v, want a latency of 1 s", late)
	}
	s.mustTake(t, 3.2, false, 2)
	s.add(at(3.3), time.Second, false, false, failure.Other)
	s.mustTake(t, 3.5, true, 2) // the load is over, so late responses do not wait
}

func TestLastLinesOfAnInterruptedTest(t *testing.T) {
	s := New(testStart, 60)
	s.add(at(1.3), time.Millisecond, false, false, failure.Other)
	s.mustTake(t, 1.4, true, 0, 1) // seconds that never began have no line
	notBegun := New(at(10), 60)
	notBegun.mustTake(t, 1.4, true)
}

func TestVirtualUsersCarryOverASecondWithoutReading(t *testing.T) {
	s := New(testStart, 3)
	s.AddVUs(at(0.9), 7)
	s.AddVUs(at(2.0), 0)
	s.AddVUs(at(3.0), 9)
	lines := s.mustTake(t, 3.2, false, 0, 1, 2)
	if lines[0].VUs != 7 || lines[1].VUs != 7 || lines[2].VUs != 0 {
		t.Errorf("virtual users %d, %d, %d, want 7, 7, 0", lines[0].VUs, lines[1].VUs, lines[2].VUs)
	}
}

func TestControlRequestsHaveNoLatency(t *testing.T) {
	s := New(testStart, 1)
	s.add(at(0.3), 200*time.Millisecond, true, false, failure.Other)
	s.add(at(0.3), 200*time.Millisecond, true, true, failure.Check)
	line := s.mustTake(t, 1.2, false, 0)[0]
	if line.Requests != 2 || line.Failed != 1 || line.Errors["check"] != 1 {
		t.Errorf("%d requests, %d failed, errors %v", line.Requests, line.Failed, line.Errors)
	}
	if line.Latency != "" || line.LatencyFailed != "" || line.LatencySumNs != 0 || line.InFlight != 0 {
		t.Errorf("line %+v has latencies", line)
	}
}

func TestLatencyCountsFromTheDueTimeAndTheServiceTimeFromTheSend(t *testing.T) {
	s := New(testStart, 2)
	s.AddRequest(Timing{Due: at(0.8), Sent: at(1.3), End: at(1.4)}, false, false, failure.Other)
	lines := s.mustTake(t, 2.2, false, 0, 1)
	if lines[0].Requests != 1 || lines[0].LatencySumNs != 6e8 {
		t.Errorf("%+v, want a request of 0.6 s in the second in which it was due", lines[0])
	}
	if lines[0].Latency != encode(600*time.Millisecond) || lines[0].ServiceTime != encode(100*time.Millisecond) {
		t.Errorf("%+v, want a latency of 0.6 s and a service time of 0.1 s", lines[0])
	}
	if math.Abs(lines[0].InFlight-0.2) > 1e-9 || math.Abs(lines[1].InFlight-0.4) > 1e-9 {
		t.Errorf("in flight %v, %v, want 0.2, 0.4", lines[0].InFlight, lines[1].InFlight)
	}
}

func TestOnlyATimeoutIsAmongTheLatencies(t *testing.T) {
	s := New(testStart, 1)
	s.add(at(0.5), 100*time.Millisecond, false, true, failure.Timeout)
	for _, kind := range []failure.Kind{failure.Refused, failure.Reset, failure.Status5xx, failure.Other} {
		s.add(at(0.5), 200*time.Millisecond, false, true, kind)
	}
	line := s.mustTake(t, 1.2, false, 0)[0]
	const long = 200 * time.Millisecond
	if line.Latency != encode(100*time.Millisecond) || line.LatencyFailed != encode(long, long, long, long) {
		t.Errorf("%+v, want one latency and those of four failed requests", line)
	}
	if line.LatencySumNs != 1e8 || line.LatencyMaxNs != 1e8 {
		t.Errorf("sum %d, max %d, want 1e8", line.LatencySumNs, line.LatencyMaxNs)
	}
}

func encode(latencies ...time.Duration) string {
	var of histogram.Histogram
	for _, latency := range latencies {
		of.Add(latency)
	}
	return of.Encode()
}
