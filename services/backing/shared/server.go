// Shared by the backing services that run a server of another project: starts the server with its
// files in a temporary folder, and answers /health for it.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	patience = time.Second            // of a check whether the server answers
	grace    = 500 * time.Millisecond // SIGTERM must end a backing service within 1 s
)

// place is where a server stores its files, and where it listens.
type place struct {
	folder, host, port string
}

// server is a server of another project.
type server struct {
	name string
	// prepare writes the files of the server. It returns its programs in the order of their start.
	prepare func(ctx context.Context, at place) ([]*exec.Cmd, error)
	// greet returns nil if the server at the other end of the connection answers.
	greet func(connection net.Conn) error
}

// serve runs the server until SIGTERM. It exits with an error if the server ends before.
func (s server) serve() {
	terminated, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	folder, err := os.MkdirTemp("", s.name+"-")
	if err != nil {
		log.Fatal(err)
	}
	host := cmp.Or(os.Getenv("HOST"), "0.0.0.0")
	err = s.run(terminated, place{folder: folder, host: host, port: os.Getenv("RPC_PORT")})
	os.RemoveAll(folder)
	if terminated.Err() == nil {
		log.Fatal(err)
	}
}

// run runs the server until the context is done or a program ends, and returns the reason.
func (s server) run(ctx context.Context, at place) error {
	ctx, end := context.WithCancelCause(ctx)
	http.HandleFunc("GET /health", makeHealth(at.port, s.greet))
	go func() { end(http.ListenAndServe(net.JoinHostPort(at.host, os.Getenv("PORT")), nil)) }()
	programs, err := s.prepare(ctx, at)
	if err != nil {
		end(err)
	}
	var running sync.WaitGroup
	for _, program := range programs {
		if err := program.Start(); err != nil {
			end(err)
			break
		}
		running.Go(func() {
			program.Wait()
			end(fmt.Errorf("%s has ended: %v", filepath.Base(program.Path), program.ProcessState))
		})
	}
	<-ctx.Done()
	running.Wait()
	return context.Cause(ctx)
}

// newProgram returns a program with a process group of its own. When the context is done, the group
// gets the signal.
func newProgram(
	ctx context.Context, last syscall.Signal, name string, arguments ...string,
) *exec.Cmd {
	program := exec.CommandContext(ctx, name, arguments...)
	program.Stdout, program.Stderr = os.Stdout, os.Stderr
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	program.Cancel = func() error { return syscall.Kill(-program.Process.Pid, last) }
	program.WaitDelay = grace
	return program
}

// makeHealth returns a handler that answers 200 once the server answers on the port.
func makeHealth(port string, greet func(net.Conn) error) http.HandlerFunc {
	var isReady atomic.Bool
	address := net.JoinHostPort("127.0.0.1", port)
	return func(w http.ResponseWriter, _ *http.Request) {
		if !isReady.Load() {
			if err := check(address, greet); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			isReady.Store(true)
		}
		w.Write([]byte("ok"))
	}
}

func check(address string, greet func(net.Conn) error) error {
	connection, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return err
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(patience))
	return greet(connection)
}
