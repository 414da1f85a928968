package main

import (
	"math/rand/v2"
	"strconv"
	"sync/atomic"
)

const (
	recentLength = 1000
	highestValue = 1_000_000_000_000_000 // exact as a JavaScript number
)

// counts holds the numbers of calls that GET /stats returns. Atomics instead of a lock, because a
// lock
// would slow down the calls of a fast service.
type counts struct {
	calls       atomic.Int64
	inFlight    atomic.Int64
	maxInFlight atomic.Int64
	answered    atomic.Uint64
	recent      [recentLength]atomic.Uint64 // 0 = not given yet
}

type statsBody struct {
	Calls       int64    `json:"calls"`
	InFlight    int64    `json:"in_flight"`
	MaxInFlight int64    `json:"max_in_flight"`
	DelayMS     int      `json:"delay_ms"`
	Recent      []string `json:"recent"`
}

func (c *counts) enter() {
	c.calls.Add(1)
	inFlight := c.inFlight.Add(1)
	for highest := c.maxInFlight.Load(); inFlight > highest; highest = c.maxInFlight.Load() {
		if c.maxInFlight.CompareAndSwap(highest, inFlight) {
			return
		}
	}
}

// leave draws the answer and counts it before the client can receive it.
func (c *counts) leave() uint64 {
	value := 1 + rand.Uint64N(highestValue)
	slot := (c.answered.Add(1) - 1) % recentLength
	c.recent[slot].Store(value)
	c.inFlight.Add(-1)
	return value
}

func (c *counts) read() statsBody {
	recent := make([]string, 0, recentLength)
	for i := range c.recent {
		if value := c.recent[i].Load(); value != 0 {
			recent = append(recent, strconv.FormatUint(value, 10))
		}
	}
	return statsBody{
		Calls:       c.calls.Load(),
		InFlight:    c.inFlight.Load(),
		MaxInFlight: c.maxInFlight.Load(),
		Recent:      recent,
	}
}

// reset sets the counts to zero, except for calls that are still in flight.
func (c *counts) reset() {
	c.calls.Store(0)
	c.maxInFlight.Store(c.inFlight.Load())
	for i := range c.recent {
		c.recent[i].Store(0)
	}
}
