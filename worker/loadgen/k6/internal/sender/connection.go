package sender

import (
	"time"

	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/check"
	"tacho/worker/loadgen/k6/internal/http1"
	"tacho/worker/loadgen/k6/internal/mix"
	"tacho/worker/loadgen/k6/internal/series"
	"tacho/worker/loadgen/k6/internal/template"
)

// connectionState is what a connection is doing.
type connectionState int

const (
	isFree       connectionState = iota // it has no request, and may be open or not
	isConnecting                        // a request waits for it to open
	isSending                           // a part of the request does not fit into its buffer yet
	isWaiting                           // a request waits for its response
)

const noFD = -1

// connection is a keep-alive connection and the request that it carries. Times are since the start of
// the load.
type connection struct {
	index    int
	fd       int
	state    connectionState
	isReused bool          // it has carried a response before
	due      time.Duration // when a free connection of a closed load sends its next request
	deadline time.Duration // of the request
	sent     time.Duration // first byte of the request
	arrived  time.Duration // when the last bytes of the response were read, if its checks need that

	kind       *mix.Kind
	requestDue time.Duration // or series.NoDueTime
	values     template.Values
	script     any      // what the script drew for the request
	head       []byte   // of the request, with its body if that is short
	body       [][]byte // pieces of a long body
	length     int64    // of the request
	written    int64    // bytes of the request
	resent     int64
	received   int64
	firstByte  time.Duration // of the response's body; 0 before it
	isSampled  bool
	observer   check.Observer
	response   http1.Response
	watch      func(piece []byte)
}

func newConnection(index int) *connection {
	made := &connection{index: index, fd: noFD}
	made.watch = func(piece []byte) { made.observer.Watch(piece, made.arrived-made.sent) }
	return made
}

// prepare sets the request that the connection carries next.
func (c *connection) prepare(kind *mix.Kind) {
	c.kind = kind
	c.head, c.body = kind.Write(c.head, c.body, &c.values)
	c.length = int64(len(c.head))
	for _, piece := range c.body {
		c.length += int64(len(piece))
	}
	c.resent = 0
	c.expect()
}

// expect prepares for the response.
func (c *connection) expect() {
	c.written, c.received, c.firstByte = 0, 0, 0
	limit, watch := c.kind.Expectation.BodyLimit(), c.watch
	if c.isSampled {
		limit = maxSampleBytes
	}
	if !c.kind.Expectation.NeedsPieces() {
		watch = nil
	}
	c.response.KeepsType = c.kind.Expectation.NeedsType()
	c.response.Reset(limit, watch)
	c.observer.Begin(c.kind.Expectation, &c.values)
}

// begin returns when the request counts from: when it was due, or sent if it had no due time.
func (c *connection) begin() time.Duration {
	if c.requestDue == series.NoDueTime {
		return c.sent
	}
	return c.requestDue
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

// takeDue is the same for a connection that is due.
func (q *connectionQueue) takeDue(now time.Duration) *connection {
	if q.dueAt(now) > now {
		return nil
	}
	return q.take()
}

// dueAt returns when the first connection is due, or otherwise if the queue is empty.
func (q *connectionQueue) dueAt(otherwise time.Duration) time.Duration {
	if q.count == 0 {
		return otherwise
	}
	return q.ring[q.first].due
}
