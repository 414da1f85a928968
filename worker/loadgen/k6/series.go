package main

import (
	"time"
)

// settleTime is how long after a second its line goes out: k6 hands samples on every
// 50 ms, and most answers to a second's last requests come in that time.
const settleTime = 100 * time.Millisecond

// cell is what happened in one second of the load since its last line.
type cell struct {
	isDirty         bool
	requests        int64
	failed          int64
	errors          [errorKindCount]int64
	bytesSent       int64
	bytesReceived   int64
	dropped         int64
	inFlight        time.Duration // sum over requests of their time within this second
	latencySum      time.Duration // of the successful requests
	latencyMax      time.Duration
	latency         histogram
	latencyOfFailed histogram
	lateness        histogram // of the sends that were due
	firstByte       histogram // of the successful requests, if the scenario requires it
}

// noVUs marks a second without a reading of the virtual users.
const noVUs = -1

// series is what happened in the load, second by second.
type series struct {
	start    time.Time
	cells    []cell
	vus      []int64
	reported int // seconds whose first line is out
	requests int64
	dropped  int64

	// The cells from one to before the other may be dirty: a sender waits while it hands its own
	// over, and most of a long load's have nothing new.
	touchedFrom int
	touchedTo   int
}

func newSeries(start time.Time, seconds int) *series {
	vus := make([]int64, seconds)
	for second := range vus {
		vus[second] = noVUs
	}
	return &series{start: start, cells: make([]cell, seconds), vus: vus, touchedFrom: seconds}
}

// touch is the cell of a second, about to be changed.
func (s *series) touch(second int) *cell {
	s.touchedFrom = min(s.touchedFrom, second)
	s.touchedTo = max(s.touchedTo, second+1)
	s.cells[second].isDirty = true
	return &s.cells[second]
}

// cellAt is the cell of an instant; what lies outside the load belongs to its edge.
func (s *series) cellAt(instant time.Time) *cell {
	second := int(instant.Sub(s.start) / time.Second)
	return s.touch(min(max(second, 0), len(s.cells)-1))
}

// addRequest counts a request in the second in which it was sent; returns that second's cell.
func (s *series) addRequest(
	end time.Time, latency time.Duration, isFailed bool, kind errorKind,
) *cell {
	sent := end.Add(-latency)
	at := s.cellAt(sent)
	at.requests++
	s.requests++
	if isFailed {
		at.failed++
		at.errors[kind]++
		at.latencyOfFailed.add(latency)
	} else {
		at.latency.add(latency)
		at.latencySum += latency
		at.latencyMax = max(at.latencyMax, latency)
	}
	s.addInFlight(sent.Sub(s.start), end.Sub(s.start))
	return at
}

// takeFrom moves the counts of the same seconds over from another.
func (s *series) takeFrom(other *series) {
	for second := other.touchedFrom; second < other.touchedTo; second++ {
		if other.cells[second].isDirty {
			s.touch(second).take(&other.cells[second])
		}
	}
	other.touchedFrom, other.touchedTo = len(other.cells), 0
	s.requests += other.requests
	s.dropped += other.dropped
	other.requests, other.dropped = 0, 0
}

// take moves the counts of another cell into this one.
func (c *cell) take(other *cell) {
	c.requests += other.requests
	c.failed += other.failed
	for kind, count := range other.errors {
		c.errors[kind] += count
	}
	c.bytesSent += other.bytesSent
	c.bytesReceived += other.bytesReceived
	c.dropped += other.dropped
	c.inFlight += other.inFlight
	c.latencySum += other.latencySum
	c.latencyMax = max(c.latencyMax, other.latencyMax)
	c.latency.take(&other.latency)
	c.latencyOfFailed.take(&other.latencyOfFailed)
	c.lateness.take(&other.lateness)
	c.firstByte.take(&other.firstByte)
	*other = cell{}
}

// addInFlight spreads a request's time over the seconds it spans.
func (s *series) addInFlight(from, to time.Duration) {
	from = max(from, 0)
	for from < to {
		second := int(from / time.Second)
		if second >= len(s.cells) {
			return
		}
		until := min(to, time.Duration(second+1)*time.Second)
		s.touch(second).inFlight += until - from
		from = until
	}
}

// addVUs notes a reading of the virtual users; instants outside the load don't count.
func (s *series) addVUs(instant time.Time, count int64) {
	since := instant.Sub(s.start)
	if second := int(since / time.Second); since >= 0 && second < len(s.cells) {
		s.vus[second] = count
	}
}

// takeLines returns the lines that are due at now and clears their cells. Each second
// gets a first line once it has passed, even an empty one, and further lines when late
// answers came in since. With isLast every second that has begun is due.
func (s *series) takeLines(now time.Time, isLast bool) []secondLine {
	passed := int((now.Sub(s.start) - settleTime) / time.Second)
	if isLast && now.After(s.start) {
		passed = int(now.Sub(s.start)/time.Second) + 1
	}
	due := min(max(passed, 0), len(s.cells))
	if due == s.reported && due < len(s.cells) {
		return nil // late answers wait for the next second: one line a second, not four
	}
	var lines []secondLine
	for second := range due {
		if second < s.reported && !s.cells[second].isDirty {
			continue
		}
		lines = append(lines, s.takeLine(second))
	}
	s.reported = due
	return lines
}

func (s *series) takeLine(second int) secondLine {
	taken := &s.cells[second]
	if s.vus[second] == noVUs {
		// k6 reads them once a second by its own clock: none fell in here.
		s.vus[second] = 0
		if second > 0 {
			s.vus[second] = s.vus[second-1]
		}
	}
	line := secondLine{
		Type:          "second",
		Second:        second,
		Requests:      taken.requests,
		Failed:        taken.failed,
		Errors:        namedErrors(taken.errors),
		BytesSent:     taken.bytesSent,
		BytesReceived: taken.bytesReceived,
		VUs:           s.vus[second],
		InFlight:      taken.inFlight.Seconds(),
		Dropped:       taken.dropped,
		LatencySumNs:  taken.latencySum.Nanoseconds(),
		LatencyMaxNs:  taken.latencyMax.Nanoseconds(),
		Latency:       taken.latency.encode(),
		LatencyFailed: taken.latencyOfFailed.encode(),
		Lateness:      taken.lateness.encode(),
		FirstByte:     taken.firstByte.encode(),
	}
	*taken = cell{}
	return line
}
