package series

import (
	"sync"
	"time"

	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/failure"
)

// Tally holds what one sender counted since the output last took it. Each sender has its own tally,
// so that senders never wait for each other.
type Tally struct {
	Start time.Time

	mutex       sync.Mutex
	series      *Series
	connections int64
	interrupted uint64
	script      ScriptState
	scriptSince time.Duration // start of the part of this state that is not counted yet
}

// ScriptState is what the script does that draws requests and compares responses.
type ScriptState int

const (
	ScriptAbsent  ScriptState = iota // it does not run, or does not set the pace of the load
	ScriptWorking                    // it draws or compares
	ScriptWaiting                    // it has nothing to do
)

// NoDueTime is the due time of the requests of a closed load.
const NoDueTime = time.Duration(-1)

// Request is a request that has ended. Times are since the start of the load.
type Request struct {
	Due       time.Duration // or NoDueTime
	Sent      time.Duration
	End       time.Duration
	FirstByte time.Duration // 0 if it is not measured
	IsFailed  bool
	Kind      failure.Kind
	Written   int64
	Received  int64
	Checks    checks.Outcome
}

// NewTally returns an empty tally for a load of some seconds.
func NewTally(start time.Time, seconds int) *Tally {
	return &Tally{Start: start, series: New(start, seconds)}
}

// Add counts a request in the second in which it was due.
func (t *Tally) Add(r Request) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	isControl := r.Checks.IsControl
	timing := Timing{Sent: t.Start.Add(r.Sent), End: t.Start.Add(r.End)}
	if r.Due != NoDueTime {
		timing.Due = t.Start.Add(r.Due)
	}
	cell := t.series.AddRequest(timing, isControl, r.IsFailed, r.Kind)
	cell.BytesSent += r.Written
	cell.BytesReceived += r.Received
	if r.FirstByte > 0 && !r.IsFailed && !isControl {
		cell.FirstByte.Add(t.Start.Add(r.FirstByte).Sub(timing.Begin()))
	}
	if r.Checks.IsWrong && !r.IsFailed {
		cell.Errors[failure.Check]++
	}
	t.series.Checks.Add(r.Checks)
}

// AddComparison counts a response that was compared after its request had been counted, and keeps it
// if it was wrong. isCounted is true if the checks before have compared the whole response.
func (t *Tally) AddComparison(begin time.Duration, isCounted bool, wrong *checks.WrongAnswer) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !isCounted {
		t.series.Checks.Compared++
	}
	if wrong != nil {
		t.series.Checks.Wrong++
		t.series.Checks.AddWrong(wrong)
		t.series.CellAt(t.Start.Add(begin)).Errors[failure.Check]++
	}
}

// AddWrong keeps a wrong response that was counted.
func (t *Tally) AddWrong(wrong *checks.WrongAnswer) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.series.Checks.AddWrong(wrong)
}

// AddSend counts how late a request was sent that was due at a time.
func (t *Tally) AddSend(due, now time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.series.AddLateness(t.Start.Add(due), now-due)
}

// AddDropped counts a request that was due and had no connection.
func (t *Tally) AddDropped(due time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.series.AddDropped(t.Start.Add(due), 1)
}

// AddConnection counts a connection that was opened.
func (t *Tally) AddConnection(now time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.series.CellAt(t.Start.Add(now)).Connections++
}

// SetConnections stores how many connections there are.
func (t *Tally) SetConnections(count int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.connections = int64(count)
}

// AddInterrupted counts requests without a response when the load was interrupted.
func (t *Tally) AddInterrupted(count int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.interrupted += uint64(count)
}

// CountInterrupted returns how many requests AddInterrupted has counted.
func (t *Tally) CountInterrupted() uint64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.interrupted
}

// SetScript stores what the script does from now on.
func (t *Tally) SetScript(state ScriptState) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.countScript()
	t.script = state
}

// countScript counts the time of the script up to now.
func (t *Tally) countScript() {
	now := time.Since(t.Start)
	if t.script != ScriptAbsent {
		t.series.addScript(t.scriptSince, now, t.script == ScriptWorking)
	}
	t.scriptSince = now
}

// MoveTo moves the counts into a series, and returns the number of connections.
func (t *Tally) MoveTo(series *Series) int64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.countScript()
	series.takeFrom(t.series)
	return t.connections
}
