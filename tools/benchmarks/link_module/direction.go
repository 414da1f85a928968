package main

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	nsPerS      = 1_000_000_000
	slots       = 1024 // packets that wait here; further packets wait in the device, which drops some
	slotBytes   = 2048
	readsAtOnce = 16      // before packets are forwarded again
	spinNs      = 150_000 // a thread that sleeps may wake up this late
	priority    = 50      // of 99
)

// packet is a packet that waits until it is due, by the monotonic clock.
type packet struct {
	dueNs int64
	size  int
	bytes [slotBytes]byte
}

// direction forwards the packets of one device to another, in order. It has a thread of its own, which
// sleeps until shortly before a packet is due, and then reads the clock until it is due.
//
// The loop is one goroutine that Go's scheduler must not interrupt, because to continue on another
// thread takes longer than the link may be late. Therefore its functions have no stack checks, and use
// raw system calls.
type direction struct {
	from, to int

	delayNs, bitPerS atomic.Int64
	forwarded, lost  atomic.Int64
	isRealTime       atomic.Bool

	waiting      *[slots]packet // a circular buffer
	first, count int
	freeNs       int64 // when the rate allows another packet to begin
	hasEnded     bool  // the device is gone
}

func newDirection(from, to int) *direction {
	return &direction{from: from, to: to, waiting: new([slots]packet)}
}

// run forwards packets until the device that they come from is gone.
func (d *direction) run(started func()) {
	runtime.LockOSThread()
	d.isRealTime.Store(runBeforeOthers())
	started()
	d.forward()
}

// runBeforeOthers gives the calling thread a real-time priority and exact timers. It returns false if
// the kernel refuses the priority.
func runBeforeOthers() bool {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // not needed with a real-time priority
	attributes := unix.SchedAttr{
		Policy:   unix.SCHED_FIFO,
		Priority: priority,
		Flags:    unix.SCHED_FLAG_RESET_ON_FORK,
	}
	return unix.SchedSetAttr(0, &attributes, 0) == nil
}

//go:nosplit
func (d *direction) forward() {
	for !d.hasEnded || d.count > 0 {
		d.receive()
		d.send()
		d.wait()
	}
}

// receive takes some of the packets that the device holds.
//
//go:nosplit
func (d *direction) receive() {
	for range readsAtOnce {
		if d.hasEnded || d.count == slots {
			return
		}
		free := &d.waiting[uint(d.first+d.count)%slots]
		size, _, errno := unix.RawSyscall(
			unix.SYS_READ, uintptr(d.from), uintptr(unsafe.Pointer(&free.bytes)), slotBytes,
		)
		if errno == unix.EAGAIN || errno == unix.EINTR {
			return
		}
		if errno != 0 || size == 0 {
			d.hasEnded = true
			return
		}
		free.size = int(size)
		free.dueNs = d.findDue(now(), free.size)
		d.count++
	}
}

// findDue returns when a packet that arrives now leaves the link. It begins when the packets before it
// have passed at the rate, and arrives after the delay.
//
//go:nosplit
func (d *direction) findDue(nowNs int64, size int) int64 {
	passedNs := nowNs
	if rate := d.bitPerS.Load(); rate > 0 {
		d.freeNs = max(d.freeNs, nowNs) + int64(size)*8*nsPerS/rate
		passedNs = d.freeNs
	}
	return passedNs + d.delayNs.Load()
}

// send forwards the packets that are due.
//
//go:nosplit
func (d *direction) send() {
	for d.count > 0 {
		next := &d.waiting[uint(d.first)%slots]
		if now() < next.dueNs {
			return
		}
		_, _, errno := unix.RawSyscall(
			unix.SYS_WRITE, uintptr(d.to), uintptr(unsafe.Pointer(&next.bytes)), uintptr(next.size),
		)
		if errno != 0 {
			d.lost.Add(1)
		} else {
			d.forwarded.Add(1)
		}
		d.first = (d.first + 1) % slots
		d.count--
	}
}

// wait sleeps until the device has a packet, or until shortly before a packet is due.
//
//go:nosplit
func (d *direction) wait() {
	source := unix.PollFd{Fd: int32(d.from), Events: unix.POLLIN}
	sources := uintptr(1)
	if d.hasEnded || d.count == slots {
		sources = 0
	}
	if d.count == 0 {
		if !d.hasEnded {
			poll(&source, sources, nil)
		}
		return
	}
	leftNs := d.waiting[uint(d.first)%slots].dueNs - now() - spinNs
	if leftNs > 0 {
		limit := unix.Timespec{Sec: leftNs / nsPerS, Nsec: leftNs % nsPerS}
		poll(&source, sources, &limit)
	}
}

//go:nosplit
func poll(sources *unix.PollFd, count uintptr, limit *unix.Timespec) {
	_, _, _ = unix.RawSyscall6(
		unix.SYS_PPOLL, uintptr(unsafe.Pointer(sources)), count, uintptr(unsafe.Pointer(limit)), 0, 0, 0,
	)
}

//go:nosplit
func now() int64 {
	var read unix.Timespec
	_, _, _ = unix.RawSyscall(
		unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&read)), 0,
	)
	return int64(read.Sec)*nsPerS + int64(read.Nsec)
}
