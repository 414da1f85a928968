package sender

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/failure"
)

// The calls below do not announce to Go's scheduler that they may block. Sockets never block here,
// and each announcement would cost about 5 % of a request. Only waitFor blocks, for a sweep interval
// at most. An announcement there would keep the scheduler's watchdog thread awake, which at 5,000
// requests per second uses as much CPU time as the sending itself.

// shortestSliceNs is the shortest slice of CPU time that Linux accepts.
const shortestSliceNs = 100_000

func writeNow(fd int, data []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(
		unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)))
	return int(n), errno
}

// writeVectorNow writes several pieces at once.
func writeVectorNow(fd int, pieces []unix.Iovec) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(
		unix.SYS_WRITEV, uintptr(fd), uintptr(unsafe.Pointer(&pieces[0])), uintptr(len(pieces)))
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

// waitFor returns when something happens or when the time is over. The timeout of epoll itself has
// a resolution of milliseconds. This timeout is in nanoseconds, also on kernels before 5.11.
func waitFor(epoll int, timeout time.Duration) {
	ready := unix.PollFd{Fd: int32(epoll), Events: unix.POLLIN}
	limit := unix.NsecToTimespec(timeout.Nanoseconds())
	_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&ready)), 1,
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}

// wakeSoon makes the kernel wake this thread on time. Its sleeps end no later than requested (by
// default up to 50 µs later), and it does not wait until another program on the same CPU has used
// its slice of about 3 ms. Linux before 6.12 cannot change slices and ignores the request.
func wakeSoon() {
	_, _, _ = unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, 1, 0)
	attributes, err := unix.SchedGetAttr(0, 0)
	if err == nil && attributes.Policy == unix.SCHED_NORMAL && attributes.Runtime != shortestSliceNs {
		attributes.Runtime = shortestSliceNs
		_ = unix.SchedSetAttr(0, attributes, 0)
	}
}

// errnoKind returns the kind of failure of a failed system call on a socket.
func errnoKind(errno unix.Errno) failure.Kind {
	switch errno {
	case unix.ETIMEDOUT:
		return failure.Timeout
	case unix.ECONNREFUSED:
		return failure.Refused
	case unix.ECONNRESET, unix.EPIPE:
		return failure.Reset
	default:
		return failure.Other
	}
}
