package main

import "sync/atomic"

// counts holds the numbers of calls that GET /stats returns. Atomics instead of a lock, because a
// lock would slow down the calls of a fast service.
type counts struct {
	calls       atomic.Int64
	inFlight    atomic.Int64
	maxInFlight atomic.Int64
}

type statsBody struct {
	Calls       int64 `json:"calls"`
	InFlight    int64 `json:"in_flight"`
	MaxInFlight int64 `json:"max_in_flight"`
	DelayMS     int   `json:"delay_ms"`
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

func (c *counts) leave() { c.inFlight.Add(-1) }

func (c *counts) read() statsBody {
	return statsBody{
		Calls:       c.calls.Load(),
		InFlight:    c.inFlight.Load(),
		MaxInFlight: c.maxInFlight.Load(),
	}
}

// reset sets the highest number of calls in flight to the present one. The number of calls is never
// reset, because it is compared with the number of requests of the load.
func (c *counts) reset() { c.maxInFlight.Store(c.inFlight.Load()) }
