package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// How a sender exchanges one request and its answer on a connection.
//
// Latency is what k6 calls http_req_duration: from the first byte sent to the last received,
// without the time to connect. A request that was never sent has none, and belongs to the
// second in which it failed. If a request is sent again, only the second attempt counts.

// ask gives a request to a connection and sends it as soon as that is open.
func (s *sender) ask(c *connection, now time.Duration) {
	c.deadline = now + s.load.timeout
	c.response.reset(s.asked%checkedEvery == 0)
	s.asked++
	s.busy++
	if c.fd == noFD {
		s.connect(c)
	} else {
		s.write(c)
	}
}

// askAgain sends the request again on a new connection, as Go's client and so k6 do: the
// service closed the old one, as it may at any time, while the request was on its way.
func (s *sender) askAgain(c *connection) {
	c.close()
	c.response.reset(c.response.isBodyKept)
	s.connect(c)
}

func (s *sender) connect(c *connection) {
	c.state = isConnecting
	c.sent = 0
	c.received = 0
	fd, err := unix.Socket(
		s.family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		s.fail(c, errorOther)
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
		s.fail(c, errorOther)
	}
}

func (s *sender) finishConnect(c *connection) {
	code, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil || code != 0 {
		s.fail(c, errnoKind(unix.Errno(code)))
		return
	}
	s.watch(c, unix.EPOLL_CTL_MOD, unix.EPOLLIN)
	if c.state == isConnecting {
		s.write(c)
	}
}

// write sends the request. It always fits: nothing else waits in the connection's buffer.
func (s *sender) write(c *connection) {
	c.state = isWaiting
	c.received = 0
	c.sent = s.now()
	switch n, errno := writeNow(c.fd, s.load.request); {
	case errno == 0 && n == len(s.load.request):
	case errno != 0 && c.isReused:
		s.askAgain(c)
	default:
		s.fail(c, errnoKind(errno))
	}
}

// receive reads what has come in of an answer.
func (s *sender) receive(c *connection) {
	n, errno := readNow(c.fd, s.buffer)
	if errno == unix.EAGAIN || errno == unix.EINTR {
		return
	}
	if errno == 0 && n > 0 {
		c.received += int64(n)
		if c.response.feed(s.buffer[:n]) != nil {
			s.fail(c, errorOther)
		} else if c.response.isDone() {
			s.complete(c)
		}
		return
	}
	switch {
	case c.response.close() && errno == 0:
		s.complete(c)
	case c.isReused && !c.response.hasBegun:
		s.askAgain(c)
	default:
		s.fail(c, errnoKind(errno))
	}
}

// complete counts an answer; a closed load sends its next request at once.
func (s *sender) complete(c *connection) {
	end := s.now()
	isFailed, kind := classifyStatus(c.response.status)
	s.count(c, end, isFailed, kind)
	if c.response.isLasting {
		c.isReused = true
	} else {
		c.close()
	}
	s.release(c)
	if s.load.isClosed() && !s.isOver(end) {
		s.ask(s.free.take(), end)
	}
}

// fail counts a request that got no answer.
func (s *sender) fail(c *connection, kind errorKind) {
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

func (s *sender) count(c *connection, end time.Duration, isFailed bool, kind errorKind) {
	written := int64(0)
	if c.state == isWaiting {
		written = int64(len(s.load.request))
	}
	isWrong := c.response.isBodyKept && c.response.isDone() && c.response.status < 400 &&
		!s.load.isRight(c.response.status, c.response.body)
	if isWrong && !s.isWrongSeen {
		s.isWrongSeen = true
		s.load.showWrong(c.response.status, c.response.body)
	}
	s.tally.add(outcome{
		sent:     c.sent,
		end:      end,
		isFailed: isFailed,
		isWrong:  isWrong,
		kind:     kind,
		written:  written,
		received: c.received,
	})
	if s.feed != nil {
		s.feed.add(s.tally.start.Add(end), end-c.sent, isFailed)
	}
}
