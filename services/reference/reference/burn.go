package main

import (
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// burn spends CPU time, as the kernel counts it for this thread, and returns how much it was.
func burn(wanted time.Duration) time.Duration {
	if wanted <= 0 {
		return 0
	}
	runtime.LockOSThread() // the clock is the thread's
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

// processTime is all CPU time this process has used.
func processTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// readClock is a raw system call: the runtime's watchdog wakes every 20 µs, and burns a tenth of a
// CPU itself, for as long as a thread goes in and out of ordinary ones.
func readClock(id uintptr) time.Duration {
	var now unix.Timespec
	_, _, failure := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&now)), 0)
	if failure != 0 {
		panic(failure)
	}
	return time.Duration(now.Nano())
}
