// Redis as a backing service: one server that writes nothing to disk.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: store REDIS-SERVER")
	}
	server{name: "redis", prepare: prepare, greet: greet}.serve()
}

func prepare(ctx context.Context, at place) ([]*exec.Cmd, error) {
	program := newProgram(
		ctx, syscall.SIGKILL, os.Args[1],
		"--bind", at.host, "--port", at.port, "--dir", at.folder,
		"--save", "", "--appendonly", "no",
		// There is no password: only the services of the trial reach its loopback.
		"--protected-mode", "yes",
	)
	return []*exec.Cmd{program}, nil
}

// greet sends a PING.
func greet(connection net.Conn) error {
	if _, err := io.WriteString(connection, "PING\r\n"); err != nil {
		return err
	}
	answer, err := bufio.NewReader(connection).ReadString('\n')
	if err != nil {
		return err
	}
	if answer != "+PONG\r\n" {
		return fmt.Errorf("Redis answers %q", answer)
	}
	return nil
}
