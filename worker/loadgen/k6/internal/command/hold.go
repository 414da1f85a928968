// Package command holds the load generator's own commands, which need nothing of k6.
package command

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Hold keeps a trial's network namespace open until it receives SIGTERM, and returns the exit code.
// As process 1 of its container it also reaps the processes that commands leave behind.
func Hold() int {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	for <-signals == syscall.SIGCHLD {
		reap()
	}
	return 0
}

// reap takes the exit status of every child that has ended. One signal may stand for several.
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
