package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

var sendableSignals = map[string]syscall.Signal{"INT": syscall.SIGINT, "USR1": syscall.SIGUSR1}

// SendSignal sends a signal to every process of this namespace that has NAME=VALUE in its
// environment. It returns the exit code, which is 3 if there was no such process. The pod's image
// has no other program for this, and its engine may run on another machine.
func SendSignal(arguments []string) int {
	if len(arguments) != 2 || sendableSignals[arguments[0]] == 0 ||
		!bytes.Contains([]byte(arguments[1]), []byte("=")) {
		fmt.Fprintln(os.Stderr, "usage: k6 signal INT|USR1 NAME=VALUE")
		return 2
	}
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := 3
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || pid == os.Getpid() || !hasVariable(path, arguments[1]) {
			continue
		}
		if err := syscall.Kill(pid, sendableSignals[arguments[0]]); err != nil && err != syscall.ESRCH {
			fmt.Fprintln(os.Stderr, "cannot signal process", pid, err)
			return 1
		}
		code = 0
	}
	return code
}

// hasVariable reports whether an environ file contains the assignment. An unreadable file belongs
// to a process that has ended.
func hasVariable(path, assignment string) bool {
	environment, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	for _, entry := range bytes.Split(environment, []byte{0}) {
		if string(entry) == assignment {
			return true
		}
	}
	return false
}
