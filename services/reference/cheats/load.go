package main

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Verification sends at most 24 requests at the same time, and some hundred in all.
const (
	crowd        = 30
	manyRequests = 300
	someRequests = 80 // for scenarios in which verification sends fewer
	warmUp       = 2 * time.Second
	pauseAfter   = 400 * time.Millisecond
)

// load counts requests, so that a cheat can recognise load.
type load struct {
	received atomic.Int64
	inFlight atomic.Int64
	most     atomic.Int64
	begun    atomic.Int64 // Unix time (ns) at which the load began: of request number someRequests
	last     atomic.Int64 // Unix time (ns) of the request before this one
	isOver   atomic.Bool
	nonces   sync.Map
}

// watch counts all requests except those for /health.
func (l *load) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" {
			l.enter()
			defer l.inFlight.Add(-1)
		}
		next.ServeHTTP(w, r)
	})
}

func (l *load) enter() {
	now := time.Now().UnixNano()
	before, received := l.last.Swap(now), l.received.Add(1)
	if received == someRequests {
		l.begun.Store(now)
	}
	if received > manyRequests && time.Duration(now-before) > pauseAfter {
		l.isOver.Store(true)
	}
	inFlight := l.inFlight.Add(1)
	if inFlight > l.most.Load() {
		l.most.Store(inFlight)
	}
}

// trigger decides for a request whether the service cheats.
type trigger func(l *load, r *http.Request) bool

func always(*load, *http.Request) bool { return true }

func after(count int64) trigger {
	return func(l *load, _ *http.Request) bool { return l.received.Load() > count }
}

func inCrowd(l *load, _ *http.Request) bool { return l.inFlight.Load() > crowd }

// afterCrowd is true for all requests after many were in flight at once.
func afterCrowd(l *load, _ *http.Request) bool { return l.most.Load() > crowd }

func afterWarmUp(l *load, _ *http.Request) bool {
	return l.received.Load() > someRequests && time.Now().UnixNano()-l.begun.Load() > int64(warmUp)
}

// mostly is false for every hundredth request, so it guesses at a sample drawn by counting.
func mostly(l *load, _ *http.Request) bool {
	received := l.received.Load()
	return received > manyRequests && received%100 != 0
}

// rarely is true for one request in 500 of a load.
func rarely(l *load, _ *http.Request) bool {
	received := l.received.Load()
	return received > manyRequests && received%500 == 0
}

// onRepeat is true if an earlier request had the same query.
func onRepeat(l *load, r *http.Request) bool {
	_, isKnown := l.nonces.LoadOrStore(r.URL.RawQuery, true)
	return isKnown
}

// afterLoad is true from the first request that comes a moment after a load.
func afterLoad(l *load, _ *http.Request) bool { return l.isOver.Load() }

// when returns a handler that cheats if the trigger is true, and is honest otherwise.
func (s *service) when(isDue trigger, cheat, honest http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if isDue(s.load, r) {
			cheat(w, r)
		} else {
			honest(w, r)
		}
	}
}
