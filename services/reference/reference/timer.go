package main

import (
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Go's timers end on whole milliseconds of epoll; a timerfd ends within some 10 µs and wakes its
// goroutine through the same poller, without a thread of its own and without spinning.
type timer struct {
	file *os.File
	raw  interface{ Control(func(uintptr)) error }
}

const (
	leadStep  = time.Microsecond
	leadLimit = 200 * time.Microsecond
)

// lead is how much earlier than due a timer is set. It grows by a step after a late wake-up and
// shrinks by a step after an early one, so that half of the wake-ups are late (Robbins & Monro,
// 1951).
type lead struct{ nanoseconds atomic.Int64 }

func (l *lead) get() time.Duration { return time.Duration(l.nanoseconds.Load()) }

func (l *lead) learn(late time.Duration) {
	step := leadStep
	if late < 0 {
		step = -leadStep
	}
	l.nanoseconds.Store(int64(min(max(l.get()+step, 0), leadLimit)))
}

var idleTimers = make(chan *timer, 16384)

func newTimer() (*timer, error) {
	descriptor, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	file := os.NewFile(uintptr(descriptor), "timerfd")
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &timer{file, raw}, nil
}

// wait returns once `duration` has passed; at once if it is not positive.
func wait(duration time.Duration) error {
	if duration <= 0 {
		return nil
	}
	var own *timer
	select {
	case own = <-idleTimers:
	default:
		var err error
		if own, err = newTimer(); err != nil {
			return err
		}
	}
	if err := own.wait(duration); err != nil {
		return err
	}
	select {
	case idleTimers <- own:
	default:
		return own.file.Close()
	}
	return nil
}

func (t *timer) wait(duration time.Duration) error {
	var setting error
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(duration.Nanoseconds())}
	err := t.raw.Control(func(descriptor uintptr) {
		setting = unix.TimerfdSettime(int(descriptor), 0, &spec, nil)
	})
	if err != nil {
		return err
	}
	if setting != nil {
		return os.NewSyscallError("timerfd_settime", setting)
	}
	var expirations [8]byte
	_, err = t.file.Read(expirations[:])
	return err
}
