package sender

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
	Requests   int64 `json:"requests"`   // to send by all load generators together
	FromSecond int64 `json:"fromSecond"` // of the load, from which requests count; before, it warms up
}

// counter counts the requests that all senders of a load generator begin. In a load that ends with a
// time, it is nil.
type counter struct {
	from  time.Duration
	own   int64 // requests to send by this load generator
	begun atomic.Int64
}

func newCounter(count *Count, segment Segment) *counter {
	if count == nil {
		return nil
	}
	return &counter{
		from: time.Duration(count.FromSecond) * time.Second,
		own:  int64(segment.share(int(count.Requests))),
	}
}

// admit counts a request that is about to begin. If it may not begin now, admit returns when to try
// again, else now.
func (c *counter) admit(now time.Duration, isControl bool) time.Duration {
	switch {
	case c == nil || now < c.from-boundaryPause:
		return now
	case now < c.from:
		return c.from
	case isControl && c.begun.Load() < c.own, !isControl && c.begun.Add(1) <= c.own:
		return now
	default:
		return now + sweepInterval // all have begun
	}
}
