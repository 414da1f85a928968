package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	sweepInterval   = 10 * time.Millisecond // how often timeouts and interrupts are looked for
	spinTime        = 5 * time.Microsecond  // no sleep is worth while for less
	sendsAtOnce     = 16                    // before answers are read again
	eventsAtOnce    = 256
	readBufferBytes = 64 << 10
)

// sender sends one and the same GET over many connections, from one goroutine that waits for
// all of them at once (epoll): goroutines that each wait for their connection cost more CPU
// time a request, and on one CPU the scheduler wakes them late. It keeps one of GOMAXPROCS to
// itself.
//
// A closed load sends on each connection as soon as its last response has arrived. An open load
// sends its k-th request at the planned time, on the connection that has been free longest. If none
// is free, it opens another. At the maximum number of connections, it drops the request.
type sender struct {
	load       *getLoad
	tally      *tally
	feed       *k6Feed      // nil unless k6 is to count too
	isFinished *atomic.Bool // nothing more is to be sent
	stopped    *atomic.Bool // and nothing waited for

	family      int
	address     unix.Sockaddr
	epoll       int
	events      []unix.EpollEvent
	buffer      []byte
	connections []*connection
	most        int             // connections there may be
	free        connectionQueue // those without a request
	busy        int             // number of the others
	asked       int             // requests given to a connection
	isWrongSeen bool

	next, step int64 // an open load's next request, and how many further the one after it is
}

// newSender makes the sender with an index out of count that share a load.
func newSender(
	load *getLoad, tally *tally, isFinished, stopped *atomic.Bool, index, count int,
) (*sender, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create an epoll: %w", err)
	}
	family, address := load.newSockaddr()
	share := func(whole int) int { return (whole + count - 1 - index) / count }
	s := &sender{
		load:       load,
		tally:      tally,
		isFinished: isFinished,
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
	for range share(load.connections) {
		s.free.push(s.newConnection())
	}
	return s, nil
}

func (s *sender) newConnection() *connection {
	made := &connection{index: len(s.connections), fd: noFD}
	s.connections = append(s.connections, made)
	s.tally.setConnections(len(s.connections))
	return made
}

func (s *sender) now() time.Duration { return time.Since(s.tally.start) }

// isOver reports whether no more requests are to be sent.
func (s *sender) isOver(now time.Duration) bool {
	return now >= s.load.duration || s.isFinished.Load()
}

// run sends until the load is over and every answer has come, or until it is stopped.
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
	s.tally.addInterrupted(s.busy)
	for _, connection := range s.connections {
		connection.close()
	}
	_ = unix.Close(s.epoll)
	if s.feed != nil {
		s.feed.flush()
	}
}

// sendDue sends what is due. It returns when to come back, if no event comes before, and
// whether everything has been sent.
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
			s.tally.addSend(due, now)
			s.ask(connection, now)
		} else {
			s.tally.addDropped(due)
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
		s.ask(connection, now)
	}
	return now, false
}

// takeConnection is one without a request; nil when all have one and there may be no more.
func (s *sender) takeConnection() *connection {
	if connection := s.free.take(); connection != nil {
		return connection
	}
	if len(s.connections) < s.most {
		return s.newConnection()
	}
	return nil
}

// takeEvents handles what has happened on the connections; returns how many events it took.
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
			connection.close() // by the other side; it is opened again when it is needed
		}
	}
	return count
}

// failOverdue gives up requests that have had their time.
func (s *sender) failOverdue(now time.Duration) {
	for _, connection := range s.connections {
		if connection.state != isFree && connection.deadline <= now {
			s.fail(connection, errorTimeout)
		}
	}
}
