package main

import (
	"sync"
	"time"
)

// tally is what one sender counted since the output last took it in. Each sender has its
// own: they never wait for each other.
type tally struct {
	start time.Time

	mutex       sync.Mutex
	series      *series
	connections int64
	interrupted uint64
}

// outcome is a request that has ended. Times are since the start of the load.
type outcome struct {
	sent     time.Duration
	end      time.Duration
	isFailed bool
	isWrong  bool // read, and not the answer expected
	kind     errorKind
	written  int64
	received int64
}

func newTally(start time.Time, seconds int) *tally {
	return &tally{start: start, series: newSeries(start, seconds)}
}

// add counts a request in the second in which it was sent.
func (t *tally) add(o outcome) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	at := t.series.addRequest(t.start.Add(o.end), o.end-o.sent, o.isFailed, o.kind)
	at.bytesSent += o.written
	at.bytesReceived += o.received
	if o.isWrong {
		at.errors[errorCheck]++
	}
}

// addSend notes how late a request went out that was due at a time.
func (t *tally) addSend(due, now time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.series.cellAt(t.start.Add(due)).lateness.add(now - due)
}

// addDropped counts a request that was due but had no connection.
func (t *tally) addDropped(due time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.series.cellAt(t.start.Add(due)).dropped++
	t.series.dropped++
}

// setConnections notes how many connections there are.
func (t *tally) setConnections(count int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.connections = int64(count)
}

// addInterrupted counts requests that were given up when the load was interrupted.
func (t *tally) addInterrupted(count int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.interrupted += uint64(count)
}

// countInterrupted is the sum of what addInterrupted was given.
func (t *tally) countInterrupted() uint64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.interrupted
}

// moveTo hands the counts over; returns the number of connections.
func (t *tally) moveTo(series *series) int64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	series.takeFrom(t.series)
	return t.connections
}
