// RabbitMQ as a backing service: one node with its default settings.
package main

import (
	"context"
	"log"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: broker RABBITMQ-SERVER")
	}
	server{name: "rabbitmq", prepare: prepare, greet: greet}.serve()
}

// prepare returns the node, after the daemon by which programs find the ports of Erlang's nodes.
func prepare(ctx context.Context, at place) ([]*exec.Cmd, error) {
	settings, err := writeSettings(at)
	if err != nil {
		return nil, err
	}
	programs := []*exec.Cmd{
		newProgram(ctx, syscall.SIGKILL, "epmd", settings.epmdArguments...),
		newProgram(ctx, syscall.SIGKILL, os.Args[1]),
	}
	for _, program := range programs {
		program.Env = append(os.Environ(), settings.environment...)
	}
	return programs, nil
}
