package schedule

import (
	"sync/atomic"
	"time"
)

// boundaryPause is how long before the first counted second no request begins. A request that is
// begun is sent a little later, and belongs to the second in which it is sent.
const boundaryPause = 10 * time.Millisecond

// Count is a load that ends with a number of requests, and not with a time. Control requests do not
// count.
type Count struct {
	Requests int64         // to send by all load generators together; 0 in a load that ends with a time
	From     time.Duration // the time of the load from which requests count; before, it warms up

	own   atomic.Int64 // to send by this load generator
	begun atomic.Int64
}

// Share sets the requests of this load generator. They differ by at most one between generators.
func (c *Count) Share(index, generators int) {
	own := c.Requests / int64(generators)
	if int64(index) < c.Requests%int64(generators) {
		own++
	}
	c.own.Store(own)
}

// Take counts a request that is about to begin, and returns false if all have begun already. It waits
// for the first counted second if that is near.
func (c *Count) Take(start time.Time, isControl bool) bool {
	if c.Requests == 0 {
		return true
	}
	if left := time.Until(start.Add(c.From)); left > 0 {
		if left > boundaryPause {
			return true
		}
		time.Sleep(left)
	}
	if isControl {
		return c.begun.Load() < c.own.Load()
	}
	return c.begun.Add(1) <= c.own.Load()
}
