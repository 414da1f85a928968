package sender

import (
	"time"

	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/check"
	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/http1"
	"tacho/worker/loadgen/k6/internal/series"
)

// This file exchanges a request and its response on a connection.
//
// In an open load, the latency of a request counts from the time at which it was due to the last byte
// of its response. So it includes the wait for a connection and the time to connect, as in wrk2. The
// service time counts from the first byte sent, as k6's http_req_duration does. In a closed load, this
// is the latency. A request that was never sent counts from the moment when it failed, and a request
// that timed out from the moment when its connection took it. If a request is sent again, its first byte
// sent is that of the first attempt.

// assign gives the next request to a connection, and sends it as soon as the connection is open. A request
// of a closed load has no due time.
func (s *sender) assign(c *connection, due, now time.Duration) {
	c.requestDue = due
	c.deadline = now + s.load.timeout
	kind := s.mix.Kind(s.next)
	c.values.Set(s.next.Nonce, s.next.Values)
	c.script, s.hasNext = s.next.Script, false
	c.isSampled = s.samples != nil && !kind.IsControl && s.drawer.Draw(s.load.given.SampleShare)
	c.prepare(kind)
	s.busy++
	if c.fd == noFD {
		s.connect(c)
	} else {
		s.write(c)
	}
}

// canSendAgain reports whether the request may be sent on another connection after the service has
// closed this one, which it may do at any time between two requests. The rule is that of Go's HTTP
// client (shouldRetryRequest of net/http, RFC 9110 section 9.2.2): the connection has carried a
// response before, no byte of this response has arrived, and either the method is idempotent or no
// byte of the request was sent. The service may have done the work of another request already.
func (c *connection) canSendAgain() bool {
	return c.isReused && !c.response.HasBegun && (c.kind.IsIdempotent || c.written == 0)
}

// sendAgain sends the request again on a new connection.
func (s *sender) sendAgain(c *connection) {
	c.close()
	c.resent++
	c.expect()
	s.connect(c)
}

func (s *sender) connect(c *connection) {
	c.state = isConnecting
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

// write begins to send the request.
func (s *sender) write(c *connection) {
	if c.resent == 0 {
		c.sent = s.now()
	}
	n, errno := 0, unix.Errno(0)
	if len(c.body) == 0 {
		n, errno = writeNow(c.fd, c.head)
	} else {
		n, errno = s.writePieces(c)
	}
	s.advance(c, n, errno)
}

// writeMore sends more of a request that did not fit into the connection's buffer.
func (s *sender) writeMore(c *connection) {
	n, errno := s.writePieces(c)
	s.advance(c, n, errno)
}

// writePieces sends the parts of the request that have not been sent, as far as they fit.
func (s *sender) writePieces(c *connection) (int, unix.Errno) {
	s.pieces = s.pieces[:0]
	skipped := appendRest(&s.pieces, c.head, c.written)
	for _, piece := range c.body {
		if len(s.pieces) == piecesAtOnce {
			break
		}
		skipped = appendRest(&s.pieces, piece, skipped)
	}
	return writeVectorNow(c.fd, s.pieces)
}

// appendRest appends a piece without the bytes that are skipped, and returns how many are left to
// skip.
func appendRest(pieces *[]unix.Iovec, piece []byte, skipped int64) int64 {
	length := int64(len(piece))
	if skipped >= length {
		return skipped - length
	}
	rest := unix.Iovec{Base: &piece[skipped]}
	rest.SetLen(int(length - skipped))
	*pieces = append(*pieces, rest)
	return 0
}

// advance handles the result of a write.
func (s *sender) advance(c *connection, n int, errno unix.Errno) {
	if errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
		s.failWrite(c, errno)
		return
	}
	if errno == 0 {
		c.written += int64(n)
	}
	switch {
	case c.written == c.length && c.state == isSending:
		c.state = isWaiting
		s.watch(c, unix.EPOLL_CTL_MOD, unix.EPOLLIN)
	case c.written == c.length:
		c.state = isWaiting
	case c.state != isSending:
		c.state = isSending
		s.watch(c, unix.EPOLL_CTL_MOD, unix.EPOLLIN|unix.EPOLLOUT)
	}
}

// failWrite handles a connection that takes no more bytes. The service may have refused the request
// after its first bytes, and its response may have arrived.
func (s *sender) failWrite(c *connection, errno unix.Errno) {
	if n, failed := readNow(c.fd, s.buffer); failed == 0 && n > 0 {
		c.state = isSending
		s.take(c, n)
		if c.state != isSending {
			return
		}
	}
	if c.canSendAgain() {
		s.sendAgain(c)
	} else {
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
		s.take(c, n)
		return
	}
	switch {
	case c.response.Close() && errno == 0:
		s.complete(c)
	case c.canSendAgain():
		s.sendAgain(c)
	default:
		s.fail(c, errnoKind(errno))
	}
}

// take parses n bytes of the response in the buffer.
func (s *sender) take(c *connection, n int) {
	c.received += int64(n)
	isTimed := s.countsFirstBytes || c.response.Watch != nil
	if isTimed {
		c.arrived = s.now()
	}
	if c.response.Feed(s.buffer[:n]) != nil {
		s.fail(c, failure.Other)
		return
	}
	if isTimed && c.firstByte == 0 && c.response.BodyLength > 0 {
		c.firstByte = c.arrived
	}
	if c.response.IsDone() {
		s.complete(c)
	}
}

// complete counts a request with a response. A closed load without pauses then sends its next request
// at once.
func (s *sender) complete(c *connection) {
	end := s.now()
	response := &c.response
	judged := check.Response{
		Status:   response.Status,
		Type:     response.Type,
		Body:     response.Body,
		Length:   response.BodyLength,
		HasExtra: response.HasExtra,
	}
	verdict := c.observer.Judge(judged)
	isControl := c.kind.IsControl
	isFailed, kind := failure.ClassifyStatus(response.Status, verdict.IsAnswered, isControl)
	isWrong := kind == failure.Check || verdict.IsAnswered && verdict.IsWrong()
	if isWrong && !s.hasWrong {
		s.hasWrong = true
		expected, got := c.observer.Explain(verdict, judged)
		s.keepWrong(c, end, expected, got)
	}
	isWhole := verdict.IsAnswered && c.kind.Expectation.IsWhole()
	s.count(c, end, isFailed, kind, checks.Outcome{
		IsControl:  isControl,
		IsAnswered: verdict.IsAnswered,
		IsWrong:    isWrong,
		IsCompared: isWhole,
		IsSigned:   verdict.IsSigned,
		IsBunched:  verdict.IsBunched,
		Resent:     c.resent,
	})
	if c.isSampled && verdict.IsAnswered && !isWrong {
		s.passSample(c, end, isWhole)
	}
	if response.IsLasting && c.state == isWaiting {
		c.isReused = true
	} else {
		c.close()
	}
	s.release(c, end)
	if s.load.isClosed() && s.load.pause == 0 && !s.isOver(end) {
		s.sendNext(end)
	}
}

// passSample passes the response to the script, unless too many others wait there.
func (s *sender) passSample(c *connection, end time.Duration, isCounted bool) {
	if len(s.samples) == cap(s.samples) {
		return
	}
	sample := Sample{
		Method:    c.kind.Method,
		Path:      string(c.kind.Path.Append(nil, &c.values)),
		Nonce:     c.values.Nonce.String(),
		Integer:   c.values.Nonce.Integer(),
		Script:    c.script,
		Status:    c.response.Status,
		Body:      c.response.Body,
		Stamp:     string(c.values.Stamp),
		Signature: string(c.values.Signature),
		Begin:     c.begin(),
		Sent:      c.sent,
		End:       end,
		IsCounted: isCounted,
	}
	c.response.Body = nil // belongs to the sample now
	select {
	case s.samples <- sample:
	default:
	}
}

// receiveUnasked handles a connection without a request: the service closed it, or sent bytes that
// belong to no request.
func (s *sender) receiveUnasked(c *connection) {
	n, errno := readNow(c.fd, s.buffer)
	if errno == unix.EAGAIN || errno == unix.EINTR {
		return
	}
	c.close() // the next request opens it again
	unasked := s.buffer[:max(n, 0)]
	if errno != 0 || len(unasked) == 0 || http1.IsTimeoutNotice(unasked) {
		return
	}
	now := s.now()
	answer := checks.NewWrongAnswer(now, "none", "no response without a request", string(unasked))
	s.tally.AddComparison(now, true, answer)
}

// keepWrong logs the first wrong response, and keeps it for the end of the load.
func (s *sender) keepWrong(c *connection, end time.Duration, expected, got string) {
	request := c.kind.Method + " " + string(c.kind.Path.Append(nil, &c.values))
	answer := checks.NewWrongAnswer(end, request, expected, got)
	s.tally.AddWrong(answer)
	s.load.logger.Error(answer)
}

// fail counts a request without a response.
func (s *sender) fail(c *connection, kind failure.Kind) {
	end := s.now()
	switch {
	case kind == failure.Timeout:
		c.sent = c.deadline - s.load.timeout
		end = max(end, c.deadline)
	case c.state == isConnecting && c.resent == 0:
		c.sent = end
	}
	s.count(c, end, true, kind, checks.Outcome{IsControl: c.kind.IsControl, Resent: c.resent})
	c.close()
	s.release(c, end)
}

// release makes a connection free for another request.
func (s *sender) release(c *connection, end time.Duration) {
	c.state = isFree
	c.due = end + s.load.pause
	s.busy--
	s.free.push(c)
}

func (s *sender) count(
	c *connection, end time.Duration, isFailed bool, kind failure.Kind, outcome checks.Outcome,
) {
	s.tally.Add(series.Request{
		Due:       c.requestDue,
		Sent:      c.sent,
		End:       end,
		FirstByte: c.firstByte,
		IsFailed:  isFailed,
		Kind:      kind,
		Written:   c.written,
		Received:  c.received,
		Checks:    outcome,
	})
	if s.feed != nil {
		s.feed.Add(s.tally.Start.Add(end), end-c.sent, isFailed, outcome.IsControl)
	}
}
