// Package schedule holds how long a load lasts, and what k6 reveals about it only while it runs.
package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.k6.io/k6/v2/lib"

	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/series"
)

// Schedule holds how long a load may last and whether it ends early. It also holds what only a
// virtual user can observe: the instant at which k6 began its scenario, and the execution's state.
//
// k6 schedules arrivals relative to that instant. Seconds must begin there too, so that each second
// has its exact share of arrivals.
//
// SIGUSR1 finishes the load: no more requests begin, the requests in flight get their response or
// time out, and the run ends as if its time were over.
type Schedule struct {
	Seconds       int           // maximum length of the load
	Timeout       time.Duration // of a request
	RatePerSecond int64         // of iterations that k6 begins at a constant rate; otherwise 0
	Count         Count         // of requests that virtual users send

	Generators atomic.Int64 // load generators that share the load; 0 before it has begun
	Begun      atomic.Int64 // requests that virtual users have begun
	UnderWay   atomic.Int64 // requests of virtual users and senders that have not ended
	IsFinished atomic.Bool

	Ledger checks.Ledger // of the requests of virtual users

	IsSummarised     bool // k6 counts requests too
	CountsFirstBytes bool

	mutex     sync.Mutex
	start     time.Time
	execution *lib.ExecutionState
	tallies   []*series.Tally // of the senders; empty if k6's virtual users send
}

// Read reads `ext.tacho` of the script's options.
func (s *Schedule) Read(options lib.Options) error {
	var extension struct {
		Seconds          int   `json:"seconds"`
		TimeoutMs        int64 `json:"timeoutMs"`
		RatePerSecond    int64 `json:"ratePerSecond"`
		CountsFirstBytes bool  `json:"countsFirstBytes"`
		CountedRequests  int64 `json:"countedRequests"`
		CountedFrom      int   `json:"countedFromSecond"`
	}
	raw, found := options.External["tacho"]
	if !found {
		return errors.New("the script has no options.ext.tacho: build them with lib/profiles.js")
	}
	if err := json.Unmarshal(raw, &extension); err != nil {
		return fmt.Errorf("options.ext.tacho: %w", err)
	}
	if extension.Seconds < 1 {
		return fmt.Errorf("options.ext.tacho.seconds is %d", extension.Seconds)
	}
	s.Seconds, s.CountsFirstBytes = extension.Seconds, extension.CountsFirstBytes
	s.Timeout = time.Duration(extension.TimeoutMs) * time.Millisecond
	s.RatePerSecond = extension.RatePerSecond
	s.Count.Requests = extension.CountedRequests
	s.Count.From = time.Duration(extension.CountedFrom) * time.Second
	return nil
}

// DueAt returns when k6 planned to begin an iteration. k6 numbers the iterations of all load
// generators from 0, without those that it dropped. This load generator has dropped some before, of
// which each takes the place of one iteration. k6 rounds the period down to nanoseconds
// (constant_arrival_rate.go).
func (s *Schedule) DueAt(iteration, dropped int64) time.Duration {
	period := time.Second / time.Duration(s.RatePerSecond)
	return period * time.Duration(iteration+dropped*max(s.Generators.Load(), 1))
}

// FinishOnSignal makes SIGUSR1 finish the load from now on.
func (s *Schedule) FinishOnSignal() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		<-signals
		s.IsFinished.Store(true)
	}()
}

// IsDone reports whether the load was finished and no request is outstanding.
func (s *Schedule) IsDone() bool { return s.IsFinished.Load() && s.UnderWay.Load() == 0 }

// TryBegin counts a new request of a virtual user. It returns false when the load is finished.
func (s *Schedule) TryBegin() bool {
	// Counted first: IsDone must not overlook a request that is about to begin.
	s.UnderWay.Add(1)
	if s.IsFinished.Load() {
		s.UnderWay.Add(-1)
		return false
	}
	return true
}

// Observe takes the start of the load from a virtual user.
func (s *Schedule) Observe(scenario *lib.ScenarioState, execution *lib.ExecutionState) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.start = scenario.StartTime
	s.execution = execution
}

// FindStart returns when the load began, and false if it has not begun.
func (s *Schedule) FindStart() (time.Time, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.start, !s.start.IsZero()
}

// Duration returns the maximum length of the load.
func (s *Schedule) Duration() time.Duration { return time.Duration(s.Seconds) * time.Second }

// NewTally returns a tally for another sender.
func (s *Schedule) NewTally() *series.Tally {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	made := series.NewTally(s.start, s.Seconds)
	s.tallies = append(s.tallies, made)
	return made
}

// Tallies returns the tallies of the senders. There are none if k6's virtual users send.
func (s *Schedule) Tallies() []*series.Tally {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.tallies
}

// CountInterrupted returns the number of requests that senders abandoned, or of iterations that k6
// interrupted. The iterations that it interrupts because the load is finished have no request.
func (s *Schedule) CountInterrupted() uint64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	sum := uint64(0)
	for _, tally := range s.tallies {
		sum += tally.CountInterrupted()
	}
	if len(s.tallies) > 0 || s.execution == nil || s.IsDone() {
		return sum
	}
	return s.execution.GetPartialIterationCount()
}
