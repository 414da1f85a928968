package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// hold keeps a trial's network namespace open: it waits for SIGTERM and, as process 1 of
// its container, reaps what executed commands leave behind. It returns the exit code.
func hold() int {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	for <-signals == syscall.SIGCHLD {
		reap()
	}
	return 0
}

// reap takes the exit status of every child that has ended: signals of the same kind merge.
func reap() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if pid <= 0 || err != nil {
			return
		}
	}
}
