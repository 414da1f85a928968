package sender

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/series"
)

const (
	sweepInterval   = 10 * time.Millisecond // between checks for timeouts and interrupts
	spinTime        = 5 * time.Microsecond  // a sleep would take longer
	sendsAtOnce     = 16                    // before responses are read again
	eventsAtOnce    = 256
	readBufferBytes = 64 << 10
)

// sender sends the same GET over many connections, from a single goroutine that waits for all of
// them with epoll. One goroutine per connection would use more CPU time per request, and on one CPU
// the scheduler would wake those goroutines late. A sender occupies one of GOMAXPROCS.
//
// A closed load sends on each connection as soon as its last response has arrived. An open load
// sends its k-th request at the planned time, on the connection that has been free longest. If none
// is free, it opens another. At the maximum number of connections, it drops the request.
type sender struct {
	load       *Load
	tally      *series.Tally
	feed       Feed         // nil unless k6 counts the requests too
	isFinished *atomic.Bool // send no more requests
	stopped    *atomic.Bool // nor wait for responses

	family        int
	address       unix.Sockaddr
	epoll         int
	events        []unix.EpollEvent
	buffer        []byte
	connections   []*connection
	most          int             // maximum number of connections
	free          connectionQueue // connections without a request
	busy          int             // number of connections with a request
	assigned      int             // requests given to a connection so far
	isWrongLogged bool

	next, step int64 // number of an open load's next request, and the distance to the one after it
}

// newSender returns the sender with this index, of count senders that share a load.
func newSender(load *Load, run Run, stopped *atomic.Bool, index, count int) (*sender, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create an epoll: %w", err)
	}
	family, address := load.newSockaddr()
	share := func(whole int) int { return (whole + count - 1 - index) / count }
	s := &sender{
		load:       load,
		tally:      run.NewTally(),
		isFinished: run.IsFinished,
		stopped:    stopped,
		family:     family,
		address:    address,
		epoll:      epoll,
		events:     make([]unix.EpollEvent, eventsAtOnce),
		buffer:     make([]byte, readBufferBytes),
		most:       share(load.maxConnections),
		next:       int64(index),
		step:       int64(count),
	}
	if run.NewFeed != nil {
		s.feed = run.NewFeed()
	}
	for range share(load.connections) {
		s.free.push(s.newConnection())
	}
	return s, nil
}

func (s *sender) newConnection() *connection {
	made := &connection{index: len(s.connections), fd: noFD}
	s.connections = append(s.connections, made)
	s.tally.SetConnections(len(s.connections))
	return made
}

func (s *sender) now() time.Duration { return time.Since(s.tally.Start) }

// isOver reports whether the sending of requests has ended.
func (s *sender) isOver(now time.Duration) bool {
	return now >= s.load.duration || s.isFinished.Load()
}

// run sends until the load is over and every response has arrived, or until it is stopped.
func (s *sender) run() {
	defer s.close()
	wakeSoon()
	swept := s.now()
	for !s.stopped.Load() {
		due, isOver := s.sendDue()
		if isOver && s.busy == 0 {
			return
		}
		count := s.takeEvents()
		now := s.now()
		if now-swept >= sweepInterval {
			s.failOverdue(now)
			wakeSoon() // the goroutine may have changed threads
			swept = now
		}
		if pause := min(due, swept+sweepInterval) - now - spinTime; count == 0 && pause > 0 {
			waitFor(s.epoll, pause)
		}
	}
}

func (s *sender) close() {
	s.tally.AddInterrupted(s.busy)
	for _, connection := range s.connections {
		connection.close()
	}
	_ = unix.Close(s.epoll)
	if s.feed != nil {
		s.feed.Flush()
	}
}

// sendDue sends the requests that are due. It returns when to call it again if no event happens
// before, and whether everything has been sent.
func (s *sender) sendDue() (next time.Duration, isOver bool) {
	if s.load.isClosed() {
		return s.sendOnFree()
	}
	for range sendsAtOnce {
		now := s.now()
		due := min(s.load.plan.dueAt(s.next), s.load.duration)
		if s.isFinished.Load() || due == s.load.duration && due <= now {
			return now + sweepInterval, true
		}
		if due > now {
			return due, false
		}
		s.next += s.step
		if connection := s.takeConnection(); connection != nil {
			s.tally.AddSend(due, now)
			s.assign(connection, now)
		} else {
			s.tally.AddDropped(due)
		}
	}
	return s.now(), false
}

// sendOnFree sends on connections without a request: at the start, and after failures.
func (s *sender) sendOnFree() (next time.Duration, isOver bool) {
	now := s.now()
	if s.isOver(now) {
		return now + sweepInterval, true
	}
	for range sendsAtOnce {
		connection := s.free.take()
		if connection == nil {
			return now + sweepInterval, false
		}
		s.assign(connection, now)
	}
	return now, false
}

// takeConnection returns a connection without a request, or nil if there is none and the maximum is
// reached.
func (s *sender) takeConnection() *connection {
	if connection := s.free.take(); connection != nil {
		return connection
	}
	if len(s.connections) < s.most {
		return s.newConnection()
	}
	return nil
}

// takeEvents handles what has happened on the connections, and returns the number of events.
func (s *sender) takeEvents() int {
	count, errno := pollNow(s.epoll, s.events)
	if errno != 0 {
		return 0 // interrupted by a signal
	}
	for _, event := range s.events[:count] {
		connection := s.connections[event.Fd]
		switch connection.state {
		case isConnecting:
			s.finishConnect(connection)
		case isWaiting:
			s.receive(connection)
		case isFree:
			connection.close() // the service closed it; the next request opens it again
		}
	}
	return count
}

// failOverdue fails the requests whose timeout has passed.
func (s *sender) failOverdue(now time.Duration) {
	for _, connection := range s.connections {
		if connection.state != isFree && connection.deadline <= now {
			s.fail(connection, failure.Timeout)
		}
	}
}
