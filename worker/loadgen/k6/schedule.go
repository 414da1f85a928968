package main

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
)

// schedule is how long a load may last, whether it is to end before, and what only a virtual
// user can see of it: the instant at which k6 began its scenario, and the state of the
// execution.
//
// The real start matters because k6 schedules arrivals from there: only then does each second
// hold its exact share of them.
//
// SIGUSR1 finishes the load: no request begins any more, those under way are answered or time
// out, and the run ends as if its time were over.
type schedule struct {
	seconds int // the load lasts so long at most

	mutex     sync.Mutex
	start     time.Time
	execution *lib.ExecutionState
	tallies   []*tally // of the senders, if k6's own virtual users do not send

	begun      atomic.Int64 // requests of virtual users
	underWay   atomic.Int64 // of those, and senders that have not come to their end
	isFinished atomic.Bool

	isSummarised     bool // k6 is to count by itself too
	countsFirstBytes bool
}

// plan reads the options' `ext.tacho`.
func (s *schedule) plan(options lib.Options) error {
	var extension struct {
		Seconds          int  `json:"seconds"`
		CountsFirstBytes bool `json:"countsFirstBytes"`
	}
	raw, found := options.External["tacho"]
	if !found {
		return errors.New("the script has no options.ext.tacho: build them by lib/profiles.js")
	}
	if err := json.Unmarshal(raw, &extension); err != nil {
		return fmt.Errorf("options.ext.tacho: %w", err)
	}
	if extension.Seconds < 1 {
		return fmt.Errorf("options.ext.tacho.seconds is %d", extension.Seconds)
	}
	s.seconds, s.countsFirstBytes = extension.Seconds, extension.CountsFirstBytes
	return nil
}

// finishOnSignal lets SIGUSR1 finish the load from now on.
func (s *schedule) finishOnSignal() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		<-signals
		s.isFinished.Store(true)
	}()
}

// isDone reports whether the load was finished and no request is outstanding.
func (s *schedule) isDone() bool { return s.isFinished.Load() && s.underWay.Load() == 0 }

// tryBegin counts a new request of a virtual user. It returns false when the load is finished.
func (s *schedule) tryBegin() bool {
	// Counted first: isDone must not overlook a request that is about to begin.
	s.underWay.Add(1)
	if s.isFinished.Load() {
		s.underWay.Add(-1)
		return false
	}
	return true
}

// observe takes the start of the load from a virtual user.
func (s *schedule) observe(scenario *lib.ScenarioState, execution *lib.ExecutionState) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.start = scenario.StartTime
	s.execution = execution
}

// findStart returns when the load began, and false while nothing was sent.
func (s *schedule) findStart() (time.Time, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.start, !s.start.IsZero()
}

// duration is how long the load lasts at most.
func (s *schedule) duration() time.Duration { return time.Duration(s.seconds) * time.Second }

// newTally makes the tally of one more sender.
func (s *schedule) newTally() *tally {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	made := newTally(s.start, s.seconds)
	s.tallies = append(s.tallies, made)
	return made
}

// sendersTallies are those of the senders; none when k6's virtual users send.
func (s *schedule) sendersTallies() []*tally {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.tallies
}

// interrupted is the number of requests that senders gave up, or of iterations that k6 cut
// off; those it cut off because the load was finished had no request under way.
func (s *schedule) interrupted() uint64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	sum := uint64(0)
	for _, tally := range s.tallies {
		sum += tally.countInterrupted()
	}
	if len(s.tallies) > 0 || s.execution == nil || s.isDone() {
		return sum
	}
	return s.execution.GetPartialIterationCount()
}
