// Package schedule holds how long a load lasts, and when it began.
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

	"tacho/worker/loadgen/k6/internal/series"
)

// Schedule holds how long a load may last, when it began and whether it ends early.
//
// SIGUSR1 finishes the load: no more requests begin, the requests in flight get their response or
// time out, and the run ends as if its time were over.
type Schedule struct {
	Seconds          int // maximum length of the load
	IsFinished       atomic.Bool
	UnderWay         atomic.Int64 // loads that have not ended
	IsSummarised     bool         // k6 counts requests too
	CountsFirstBytes bool

	mutex   sync.Mutex
	start   time.Time
	tallies []*series.Tally // of the senders
}

// Read reads `ext.tacho` of the script's options.
func (s *Schedule) Read(options lib.Options) error {
	var extension struct {
		Seconds          int  `json:"seconds"`
		CountsFirstBytes bool `json:"countsFirstBytes"`
	}
	raw, found := options.External["tacho"]
	if !found {
		return errors.New("the script has no options.ext.tacho: build them with lib/load.js")
	}
	if err := json.Unmarshal(raw, &extension); err != nil {
		return fmt.Errorf("options.ext.tacho: %w", err)
	}
	if extension.Seconds < 1 {
		return fmt.Errorf("options.ext.tacho.seconds is %d", extension.Seconds)
	}
	s.Seconds, s.CountsFirstBytes = extension.Seconds, extension.CountsFirstBytes
	return nil
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

// Begin sets when the load began.
func (s *Schedule) Begin(start time.Time) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.start = start
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

// Tallies returns the tallies of the senders.
func (s *Schedule) Tallies() []*series.Tally {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.tallies
}
