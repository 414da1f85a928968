package sender

import (
	"time"

	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/http1"
)

// connectionState is what a connection is doing.
type connectionState int

const (
	isFree       connectionState = iota // it has no request, and may be open or not
	isConnecting                        // a request waits for it to open
	isWaiting                           // a request waits for its response
)

const noFD = -1

// connection is a keep-alive connection and the request that it carries.
type connection struct {
	index    int
	fd       int
	state    connectionState
	isReused bool          // it has carried a response before
	deadline time.Duration // of the request; times are since the start of the run
	sent     time.Duration
	received int64
	response http1.Response
}

func (c *connection) close() {
	if c.fd != noFD {
		_ = unix.Close(c.fd)
		c.fd = noFD
	}
	c.isReused = false
}

// connectionQueue holds connections in order of arrival, in a ring buffer.
type connectionQueue struct {
	ring  []*connection
	first int
	count int
}

func (q *connectionQueue) push(c *connection) {
	if q.count == len(q.ring) {
		grown := make([]*connection, max(2*q.count, 16))
		for index := range q.count {
			grown[index] = q.ring[(q.first+index)%q.count]
		}
		q.ring, q.first = grown, 0
	}
	q.ring[(q.first+q.count)%len(q.ring)] = c
	q.count++
}

// take removes and returns the first connection. It returns nil if the queue is empty.
func (q *connectionQueue) take() *connection {
	if q.count == 0 {
		return nil
	}
	found := q.ring[q.first]
	q.first = (q.first + 1) % len(q.ring)
	q.count--
	return found
}
