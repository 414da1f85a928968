package sender

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/mix"
	"tacho/worker/loadgen/k6/internal/sample"
	"tacho/worker/loadgen/k6/internal/series"
)

const (
	sweepInterval   = 10 * time.Millisecond // between checks for timeouts and interrupts
	spinTime        = 5 * time.Microsecond  // a sleep would take longer
	sendsAtOnce     = 16                    // before responses are read again
	eventsAtOnce    = 256
	piecesAtOnce    = 64 // the kernel takes 1,024
	readBufferBytes = 64 << 10
	maxSampleBytes  = 16 << 20
	maxSenders      = 1 << 20 // of one load generator
)

// sender sends a mix of requests over many connections, from a single goroutine that waits for all of
// them with epoll. One goroutine per connection would use more CPU time per request, and on one CPU
// the scheduler would wake those goroutines late. A sender occupies one of GOMAXPROCS.
//
// A closed load sends on each connection when its last response has arrived and its pause is over. Its
// connections may begin at different times, because otherwise they would send in bursts. An open load
// sends its k-th request at the planned time, on the connection that has been free longest. If none
// is free, it opens another. At the maximum number of connections, it drops the request.
//
// If the script draws the requests, a request that is due waits until it is drawn.
type sender struct {
	load       *Load
	mix        *mix.Mix
	supply     *Supply // nil if the mix draws complete requests
	wake       int     // eventfd of the supply, or noFD
	next       mix.Drawn
	hasNext    bool
	counter    *counter
	drawer     *sample.Drawer
	samples    chan<- Sample // nil if responses are not compared
	tally      *series.Tally
	feed       Feed         // nil unless k6 counts the requests too
	isFinished *atomic.Bool // send no more requests
	stopped    *atomic.Bool // nor wait for responses

	family      int
	address     unix.Sockaddr
	epoll       int
	events      []unix.EpollEvent
	buffer      []byte
	pieces      []unix.Iovec
	connections []*connection
	most        int             // maximum number of connections
	arriving    connectionQueue // connections of a closed load before their first request
	free        connectionQueue // other connections without a request
	busy        int             // number of connections with a request

	countsFirstBytes bool
	hasWrong         bool

	arrivals arrivals // of an open load
}

// newSender returns the sender with this index, of count senders that share a load.
func newSender(
	load *Load, run Run, stopped *atomic.Bool, counter *counter, index, count int,
) (*sender, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create an epoll: %w", err)
	}
	family, address := load.newSockaddr()
	mix, err := load.NewMix()
	if err != nil {
		return nil, err
	}
	drawer, err := sample.NewDrawer(run.SampleKey, run.Segment.Index*maxSenders+index)
	if err != nil {
		return nil, err
	}
	share := func(whole int) int { return (run.Segment.share(whole) + count - 1 - index) / count }
	s := &sender{
		load:       load,
		mix:        mix,
		supply:     run.Supply,
		wake:       noFD,
		counter:    counter,
		drawer:     drawer,
		samples:    run.Samples,
		tally:      run.NewTally(),
		isFinished: run.IsFinished,
		stopped:    stopped,
		family:     family,
		address:    address,
		epoll:      epoll,
		events:     make([]unix.EpollEvent, eventsAtOnce),
		buffer:     make([]byte, readBufferBytes),
		most:       share(load.given.MaxConnections),
		arrivals:   load.newArrivals(run.Segment, index, count),

		countsFirstBytes: run.CountsFirstBytes,
	}
	if run.NewFeed != nil {
		s.feed = run.NewFeed()
	}
	if err := s.watchSupply(); err != nil {
		return nil, err
	}
	s.openConnections(share(load.given.Connections))
	return s, nil
}

// watchSupply makes the supply wake the sender.
func (s *sender) watchSupply() error {
	if s.supply == nil {
		return nil
	}
	wake, err := newWake()
	if err != nil {
		return fmt.Errorf("create an eventfd: %w", err)
	}
	s.wake = wake
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: noFD}
	if err := unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, wake, &event); err != nil {
		return fmt.Errorf("watch an eventfd: %w", err)
	}
	return nil
}

// openConnections makes the connections that are there from the start. Those of a closed load begin
// at random times.
func (s *sender) openConnections(count int) {
	if !s.load.isClosed() {
		for range count {
			s.free.push(s.newConnection())
		}
		return
	}
	within := uint64(toDuration(s.load.given.ArriveMs)) + 1
	for range count {
		s.newConnection().due = time.Duration(s.mix.Nonces.Uint64() % within)
	}
	arriving := slices.SortedFunc(slices.Values(s.connections), func(a, b *connection) int {
		return cmp.Compare(a.due, b.due)
	})
	for _, connection := range arriving {
		s.arriving.push(connection)
	}
}

func (s *sender) newConnection() *connection {
	made := newConnection(len(s.connections))
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
	if s.wake != noFD {
		s.supply.forget(s.wake)
		_ = unix.Close(s.wake)
	}
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
		due := s.arrivals.due()
		if s.load.given.Turn != nil {
			due = inTurn(due)
		}
		due = min(due, s.load.duration)
		if s.isFinished.Load() || due == s.load.duration && due <= now {
			return now + sweepInterval, true
		}
		if due > now {
			return due, false
		}
		if !s.draw() {
			return now + sweepInterval, false
		}
		s.arrivals.advance()
		if connection := s.takeConnection(); connection != nil {
			s.tally.AddSend(due, now)
			s.assign(connection, due, now)
		} else {
			s.tally.AddDropped(due)
		}
	}
	return s.now(), false
}

// sendOnFree sends on connections that are due: at the start, after pauses, and after failures.
func (s *sender) sendOnFree() (next time.Duration, isOver bool) {
	now := s.now()
	if s.isOver(now) {
		return now + sweepInterval, true
	}
	for range sendsAtOnce {
		if next := s.sendNext(now); next > now {
			return next, false
		}
	}
	return now, false
}

// sendNext sends the next request of a closed load, and returns now. If none can be sent now, it
// returns when to try again if no event happens before.
func (s *sender) sendNext(now time.Duration) time.Duration {
	later := now + sweepInterval
	if due := min(s.arriving.dueAt(later), s.free.dueAt(later)); due > now {
		return due
	}
	if !s.draw() {
		return later
	}
	if next := s.counter.admit(now, s.mix.Kind(s.next).IsControl); next > now {
		return next
	}
	connection := s.arriving.takeDue(now)
	if connection == nil {
		connection = s.free.take()
	}
	s.assign(connection, series.NoDueTime, now)
	return now
}

// draw makes sure that the next request is drawn. It returns false if the script has not drawn it yet.
func (s *sender) draw() bool {
	if s.hasNext {
		return true
	}
	if s.supply == nil {
		s.next, s.hasNext = s.mix.Draw(), true
	} else {
		s.next, s.hasNext = s.supply.take(s.wake)
	}
	return s.hasNext
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
		if event.Fd == noFD {
			_, _ = readNow(s.wake, s.buffer) // the supply has requests again
			continue
		}
		connection := s.connections[event.Fd]
		switch connection.state {
		case isConnecting:
			s.finishConnect(connection)
		case isWaiting:
			s.receive(connection)
		case isSending:
			s.exchange(connection, event.Events)
		case isFree:
			s.receiveUnasked(connection)
		}
	}
	return count
}

// exchange handles a connection whose request has been sent in part. The response may begin before the
// service has read the whole request.
func (s *sender) exchange(c *connection, events uint32) {
	if events&^unix.EPOLLOUT != 0 {
		before := c.fd
		s.receive(c)
		if c.state != isSending || c.fd != before {
			return
		}
	}
	if events&unix.EPOLLOUT != 0 {
		s.writeMore(c)
	}
}

// failOverdue fails the requests whose timeout has passed.
func (s *sender) failOverdue(now time.Duration) {
	for _, connection := range s.connections {
		if connection.state != isFree && connection.deadline <= now {
			s.fail(connection, failure.Timeout)
		}
	}
}
