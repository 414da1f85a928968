// Package series counts what happens in each second of a load.
package series

import (
	"iter"
	"time"

	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/failure"
)

// settleTime is how long after a second its line is written. Most responses to a second's last requests
// arrive in that time.
const settleTime = 100 * time.Millisecond

// noVUs marks a second without a reading of the connections.
const noVUs = -1

// Series holds the counts of a load by second.
type Series struct {
	Requests int64 // of the whole load
	Dropped  int64 // of the whole load
	Checks   checks.Checks

	start    time.Time
	cells    []Cell
	vus      []int64
	reported int // seconds whose first line is written

	// Only cells in [touchedFrom, touchedTo) can be dirty. A sender waits while its counts are
	// moved, and most cells of a long load have nothing new.
	touchedFrom int
	touchedTo   int
}

// New returns an empty series for a load of some seconds.
func New(start time.Time, seconds int) *Series {
	vus := make([]int64, seconds)
	for second := range vus {
		vus[second] = noVUs
	}
	return &Series{start: start, cells: make([]Cell, seconds), vus: vus, touchedFrom: seconds}
}

// touch returns the cell of a second in order to change it.
func (s *Series) touch(second int) *Cell {
	s.touchedFrom = min(s.touchedFrom, second)
	s.touchedTo = max(s.touchedTo, second+1)
	s.cells[second].isDirty = true
	return &s.cells[second]
}

// CellAt returns the cell of an instant in order to change it. Instants outside the load belong to
// its first or last second.
func (s *Series) CellAt(instant time.Time) *Cell {
	second := int(instant.Sub(s.start) / time.Second)
	return s.touch(min(max(second, 0), len(s.cells)-1))
}

// Timing is when a request was due, was sent and ended. Due is zero in a closed load, whose requests
// are due when they are sent.
type Timing struct {
	Due  time.Time
	Sent time.Time
	End  time.Time
}

// Begin returns the moment from which latencies count.
func (t Timing) Begin() time.Time {
	if t.Due.IsZero() {
		return t.Sent
	}
	return t.Due
}

// AddRequest counts a request in the second in which it was due, and returns that second's cell.
//
// Its latency is the time from the moment when it was due until its end, so it includes each wait
// before the request could be sent. A request that timed out has a latency too: without it, the
// percentiles would show only the requests that survived. Control requests have no latency and are
// not in flight, because a refusal costs less than an answer.
func (s *Series) AddRequest(t Timing, isControl, isFailed bool, kind failure.Kind) *Cell {
	begin := t.Begin()
	latency := t.End.Sub(begin)
	cell := s.CellAt(begin)
	cell.Requests++
	s.Requests++
	if isFailed {
		cell.Failed++
		cell.Errors[kind]++
	}
	if isControl {
		return cell
	}
	switch {
	// k6 does not measure how long it tried to connect, if that timed out.
	case isFailed && (kind != failure.Timeout || latency == 0):
		cell.LatencyFailed.Add(latency)
	case isFailed:
		cell.addLatency(latency)
	default:
		cell.addLatency(latency)
		if !t.Due.IsZero() {
			cell.ServiceTime.Add(t.End.Sub(t.Sent))
		}
	}
	s.addInFlight(begin.Sub(s.start), t.End.Sub(s.start))
	return cell
}

// AddLateness counts how late a request was begun that was due at an instant.
func (s *Series) AddLateness(due time.Time, late time.Duration) {
	s.CellAt(due).Lateness.Add(late)
}

// AddDropped counts requests that were due at an instant and were not sent.
func (s *Series) AddDropped(instant time.Time, count int64) {
	s.CellAt(instant).Dropped += count
	s.Dropped += count
}

// takeFrom moves the counts of another series of the same seconds into this one.
func (s *Series) takeFrom(other *Series) {
	for second := other.touchedFrom; second < other.touchedTo; second++ {
		if other.cells[second].isDirty {
			s.touch(second).take(&other.cells[second])
		}
	}
	other.touchedFrom, other.touchedTo = len(other.cells), 0
	s.Requests += other.Requests
	s.Dropped += other.Dropped
	other.Requests, other.Dropped = 0, 0
	s.Checks.Take(&other.Checks)
}

// addInFlight adds a request's time to each second that it spans.
func (s *Series) addInFlight(from, to time.Duration) {
	for second, part := range s.split(from, to) {
		s.touch(second).InFlight += part
	}
}

// addScript adds a time in which the script worked or waited to each second that it spans.
func (s *Series) addScript(from, to time.Duration, isWork bool) {
	for second, part := range s.split(from, to) {
		cell := s.touch(second)
		if isWork {
			cell.ScriptWork += part
		} else {
			cell.ScriptWait += part
		}
	}
}

// split yields each second of the load that a time spans, with the part of the time in this second.
func (s *Series) split(from, to time.Duration) iter.Seq2[int, time.Duration] {
	return func(yield func(int, time.Duration) bool) {
		from := max(from, 0)
		for from < to {
			second := int(from / time.Second)
			if second >= len(s.cells) {
				return
			}
			until := min(to, time.Duration(second+1)*time.Second)
			if !yield(second, until-from) {
				return
			}
			from = until
		}
	}
}

// AddVUs stores a reading of the connections. Readings outside the load do not count.
func (s *Series) AddVUs(instant time.Time, count int64) {
	since := instant.Sub(s.start)
	if second := int(since / time.Second); since >= 0 && second < len(s.cells) {
		s.vus[second] = count
	}
}

// TakeLines returns the lines that are due at now and clears their cells. Each second gets its
// first line once it has passed, even if nothing happened in it, and another line when late
// responses have arrived since. With isLast, every second that has begun is due.
func (s *Series) TakeLines(now time.Time, isLast bool) []Line {
	passed := int((now.Sub(s.start) - settleTime) / time.Second)
	if isLast && now.After(s.start) {
		passed = int(now.Sub(s.start)/time.Second) + 1
	}
	due := min(max(passed, 0), len(s.cells))
	if due == s.reported && due < len(s.cells) {
		return nil // late responses wait for the next second: one line per second, not four
	}
	var lines []Line
	for second := range due {
		if second < s.reported && !s.cells[second].isDirty {
			continue
		}
		lines = append(lines, s.cells[second].takeLine(second, s.settleVUs(second)))
	}
	s.reported = due
	return lines
}

// settleVUs returns the connections of a second. If the output was late, a second has no reading, and
// has the value of the second before.
func (s *Series) settleVUs(second int) int64 {
	if s.vus[second] == noVUs {
		s.vus[second] = 0
		if second > 0 {
			s.vus[second] = s.vus[second-1]
		}
	}
	return s.vus[second]
}
