package main

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Verification uses at most some 24 connections at the same time, and sends some hundred requests, or
// fewer in some scenarios. A cheat must begin early enough for a load on a slow machine.
const (
	crowd        = 30
	manyRequests = 300
	someRequests = 80 // for scenarios in which verification sends fewer
	fewRequests  = 30 // for universities, where it sends at most 25, and a request takes the most time
	fewOpen      = 3
	warmUp       = 2 * time.Second
)

// load counts requests and connections, so that a cheat can recognise load.
type load struct {
	received atomic.Int64
	open     atomic.Int64
	most     atomic.Int64
	begun    atomic.Int64 // Unix time (ns) at which the load began: of request number someRequests
	isOver   atomic.Bool
	nonces   sync.Map
}

// count counts open connections; it is the server's ConnState.
func (l *load) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if open := l.open.Add(1); open > l.most.Load() {
			l.most.Store(open)
		}
	case http.StateClosed, http.StateHijacked:
		l.open.Add(-1)
	}
}

// watch counts all requests except those for /health.
func (l *load) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" {
			l.enter()
		}
		next.ServeHTTP(w, r)
	})
}

func (l *load) enter() {
	if l.received.Add(1) == someRequests {
		l.begun.Store(time.Now().UnixNano())
	}
	if l.most.Load() > crowd && l.open.Load() <= fewOpen {
		l.isOver.Store(true)
	}
}

// trigger decides for a request whether the service cheats.
type trigger func(l *load, r *http.Request) bool

func always(*load, *http.Request) bool { return true }

func after(count int64) trigger {
	return func(l *load, _ *http.Request) bool { return l.received.Load() > count }
}

func inCrowd(l *load, _ *http.Request) bool { return l.open.Load() > crowd }

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

// afterLoad is true from the first request after most connections of a load were closed.
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
