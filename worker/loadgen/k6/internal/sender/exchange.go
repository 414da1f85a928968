package sender

import (
	"time"

	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/series"
)

// This file exchanges a request and its response on a connection.
//
// Latency is what k6 calls http_req_duration: the time from the first byte sent to the last byte
// received, without the time to connect. A request that was never sent has a latency of zero and
// belongs to the second in which it failed. If a request is sent again, only the second attempt
// counts.

// assign gives a request to a connection, and sends it as soon as the connection is open.
func (s *sender) assign(c *connection, now time.Duration) {
	c.deadline = now + s.load.timeout
	c.response.Reset(s.assigned%CheckedEvery == 0)
	s.assigned++
	s.busy++
	if c.fd == noFD {
		s.connect(c)
	} else {
		s.write(c)
	}
}

// sendAgain sends the request again on a new connection, as Go's HTTP client and k6 do. The service
// closed the old connection while the request was in flight, which it may do at any time.
func (s *sender) sendAgain(c *connection) {
	c.close()
	c.response.Reset(c.response.IsBodyKept)
	s.connect(c)
}

func (s *sender) connect(c *connection) {
	c.state = isConnecting
	c.sent = 0
	c.received = 0
	fd, err := unix.Socket(
		s.family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		s.fail(c, failure.Other)
		return
	}
	c.fd = fd
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	if err := unix.Connect(fd, s.address); err != nil && err != unix.EINPROGRESS {
		errno, _ := err.(unix.Errno)
		s.fail(c, errnoKind(errno))
		return
	}
	s.watch(c, unix.EPOLL_CTL_ADD, unix.EPOLLOUT)
}

func (s *sender) watch(c *connection, operation int, events uint32) {
	event := unix.EpollEvent{Events: events, Fd: int32(c.index)}
	if unix.EpollCtl(s.epoll, operation, c.fd, &event) != nil {
		s.fail(c, failure.Other)
	}
}

func (s *sender) finishConnect(c *connection) {
	code, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil || code != 0 {
		s.fail(c, errnoKind(unix.Errno(code)))
		return
	}
	s.tally.AddConnection(s.now())
	s.watch(c, unix.EPOLL_CTL_MOD, unix.EPOLLIN)
	if c.state == isConnecting {
		s.write(c)
	}
}

// write sends the request. The request always fits into the connection's empty buffer.
func (s *sender) write(c *connection) {
	c.state = isWaiting
	c.received = 0
	c.sent = s.now()
	switch n, errno := writeNow(c.fd, s.load.request); {
	case errno == 0 && n == len(s.load.request):
	case errno != 0 && c.isReused:
		s.sendAgain(c)
	default:
		s.fail(c, errnoKind(errno))
	}
}

// receive reads the bytes of a response that have arrived.
func (s *sender) receive(c *connection) {
	n, errno := readNow(c.fd, s.buffer)
	if errno == unix.EAGAIN || errno == unix.EINTR {
		return
	}
	if errno == 0 && n > 0 {
		c.received += int64(n)
		if c.response.Feed(s.buffer[:n]) != nil {
			s.fail(c, failure.Other)
		} else if c.response.IsDone() {
			s.complete(c)
		}
		return
	}
	switch {
	case c.response.Close() && errno == 0:
		s.complete(c)
	case c.isReused && !c.response.HasBegun:
		s.sendAgain(c)
	default:
		s.fail(c, errnoKind(errno))
	}
}

// complete counts a request with a response. A closed load then sends its next request at once.
func (s *sender) complete(c *connection) {
	end := s.now()
	isFailed, kind := failure.ClassifyStatus(c.response.Status)
	s.count(c, end, isFailed, kind)
	if c.response.IsLasting {
		c.isReused = true
	} else {
		c.close()
	}
	s.release(c)
	if s.load.isClosed() && !s.isOver(end) {
		s.assign(s.free.take(), end)
	}
}

// fail counts a request without a response.
func (s *sender) fail(c *connection, kind failure.Kind) {
	end := s.now()
	if c.state == isConnecting {
		c.sent = end
	}
	s.count(c, end, true, kind)
	c.close()
	s.release(c)
}

// release makes a connection free for another request.
func (s *sender) release(c *connection) {
	c.state = isFree
	s.busy--
	s.free.push(c)
}

func (s *sender) count(c *connection, end time.Duration, isFailed bool, kind failure.Kind) {
	written := int64(0)
	if c.state == isWaiting {
		written = int64(len(s.load.request))
	}
	isWrong := c.response.IsBodyKept && c.response.IsDone() && c.response.Status < 400 &&
		!s.load.isExpected(c.response.Status, c.response.Body)
	if isWrong && !s.isWrongLogged {
		s.isWrongLogged = true
		s.load.logWrong(c.response.Status, c.response.Body)
	}
	s.tally.Add(series.Request{
		Sent:     c.sent,
		End:      end,
		IsFailed: isFailed,
		IsWrong:  isWrong,
		Kind:     kind,
		Written:  written,
		Received: c.received,
	})
	if s.feed != nil {
		s.feed.Add(s.tally.Start.Add(end), end-c.sent, isFailed)
	}
}
