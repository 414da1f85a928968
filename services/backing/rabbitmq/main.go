// RabbitMQ as a backing service: starts the given server, keeps its files in a temporary folder,
// and answers /health for it.
package main

import (
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: broker RABBITMQ-SERVER")
	}
	host := os.Getenv("HOST")
	if host == "" {
		host = "0.0.0.0"
	}
	folder, err := os.MkdirTemp("", "rabbitmq-")
	if err != nil {
		log.Fatal(err)
	}
	settings, err := writeSettings(folder, net.JoinHostPort(host, os.Getenv("RPC_PORT")))
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error, 2)
	programs := []*exec.Cmd{exec.Command("epmd", settings.epmdArguments...), exec.Command(os.Args[1])}
	for _, program := range programs {
		start(program, settings.environment, ended)
	}
	node := &node{address: net.JoinHostPort("127.0.0.1", os.Getenv("RPC_PORT"))}
	http.HandleFunc("GET /health", node.health)
	go func() { ended <- http.ListenAndServe(net.JoinHostPort(host, os.Getenv("PORT")), nil) }()

	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	select {
	case <-terminated:
		stop(programs, folder)
	case err := <-ended:
		stop(programs, folder)
		log.Fatal("the broker has ended: ", err)
	}
}

// start runs a program in a process group of its own, so that stop ends its children too.
func start(program *exec.Cmd, environment []string, ended chan<- error) {
	program.Env = append(os.Environ(), environment...)
	program.Stdout, program.Stderr = os.Stdout, os.Stderr
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := program.Start(); err != nil {
		log.Fatalf("%s: %v", filepath.Base(program.Path), err)
	}
	go func() { ended <- program.Wait() }()
}

func stop(programs []*exec.Cmd, folder string) {
	for _, program := range programs {
		syscall.Kill(-program.Process.Pid, syscall.SIGKILL)
	}
	os.RemoveAll(folder)
}
