package main

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// connectionState is what a connection is doing.
type connectionState int

const (
	isFree       connectionState = iota // no request; it may be open or not
	isConnecting                        // a request waits for it to open
	isWaiting                           // for an answer
)

const noFD = -1

// shortestSliceNs is the least that Linux takes for a slice of CPU time.
const shortestSliceNs = 100_000

// connection is one keep-alive connection, and the request it carries.
type connection struct {
	index    int
	fd       int
	state    connectionState
	isReused bool          // it has answered before
	deadline time.Duration // of the request; times are since the start of the run
	sent     time.Duration
	received int64
	response response
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

// take removes the first one; nil when there is none.
func (q *connectionQueue) take() *connection {
	if q.count == 0 {
		return nil
	}
	found := q.ring[q.first]
	q.first = (q.first + 1) % len(q.ring)
	q.count--
	return found
}

// The calls below do not announce to Go's scheduler that they may block. Sockets never block here,
// and each announcement would cost about 5 % of a request. Only waitFor blocks, for a sweep interval
// at most. An announcement there would keep the scheduler's watchdog thread awake, which at 5,000
// requests per second uses as much CPU time as the sending itself.

func writeNow(fd int, data []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(
		unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)))
	return int(n), errno
}

func readNow(fd int, buffer []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(
		unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)))
	return int(n), errno
}

// pollNow fills events with what has happened already.
func pollNow(epoll int, events []unix.EpollEvent) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(epoll),
		uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
	return int(n), errno
}

// waitFor returns when something happens or when the time is over. epoll's own timeout is in
// milliseconds; this one is in nanoseconds, also on kernels before 5.11.
func waitFor(epoll int, timeout time.Duration) {
	ready := unix.PollFd{Fd: int32(epoll), Events: unix.POLLIN}
	limit := unix.NsecToTimespec(timeout.Nanoseconds())
	_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&ready)), 1,
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}

// wakeSoon makes the kernel wake this thread on time. Its sleeps end no later than requested (by
// default up to 50 µs later), and it does not wait until another program on the same CPU has used
// its slice of about 3 ms. Linux before 6.12 has no slices to set and ignores it.
func wakeSoon() {
	_, _, _ = unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, 1, 0)
	attributes, err := unix.SchedGetAttr(0, 0)
	if err == nil && attributes.Policy == unix.SCHED_NORMAL && attributes.Runtime != shortestSliceNs {
		attributes.Runtime = shortestSliceNs
		_ = unix.SchedSetAttr(0, attributes, 0)
	}
}

// errnoKind is the kind of error that a failed system call on a socket stands for.
func errnoKind(errno unix.Errno) errorKind {
	switch errno {
	case unix.ETIMEDOUT:
		return errorTimeout
	case unix.ECONNREFUSED:
		return errorRefused
	case unix.ECONNRESET, unix.EPIPE:
		return errorReset
	default:
		return errorOther
	}
}
