package main

import (
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// burn uses CPU time, measured by the clock of this thread, and returns the amount.
func burn(wanted time.Duration) time.Duration {
	if wanted <= 0 {
		return 0
	}
	runtime.LockOSThread() // the clock counts this thread only
	defer runtime.UnlockOSThread()
	begun := threadTime()
	for {
		if spent := threadTime() - begun; spent >= wanted {
			return spent
		}
	}
}

func threadTime() time.Duration {
	return readClock(unix.CLOCK_THREAD_CPUTIME_ID)
}

// processTime returns the CPU time of this process.
func processTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// readClock uses a raw system call. With ordinary system calls, the watchdog of the Go runtime
// wakes every 20 µs and uses a tenth of a CPU.
func readClock(id uintptr) time.Duration {
	var now unix.Timespec
	_, _, failure := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&now)), 0)
	if failure != 0 {
		panic(failure)
	}
	return time.Duration(now.Nano())
}
