// PostgreSQL as a backing service: one server with an empty database and its default settings.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: database POSTGRES")
	}
	server{name: "postgres", prepare: prepare, greet: greet}.serve()
}

// prepare makes the data folder with the program initdb, which is next to the given server.
func prepare(ctx context.Context, at place) ([]*exec.Cmd, error) {
	postgres, err := findProgram(os.Args[1])
	if err != nil {
		return nil, err
	}
	data := filepath.Join(at.folder, "data")
	initdb := newProgram(
		ctx, syscall.SIGKILL, filepath.Join(filepath.Dir(postgres), "initdb"),
		"--pgdata="+data, "--username="+user, "--encoding=UTF8", "--locale=C.UTF-8",
		// The database has no password: only the services of the trial reach its loopback.
		"--auth=trust",
		"--no-instructions",
	)
	if err := initdb.Run(); err != nil {
		return nil, fmt.Errorf("initdb: %w", err)
	}
	// SIGQUIT is PostgreSQL's immediate shutdown, which also ends the processes of connections.
	program := newProgram(
		ctx, syscall.SIGQUIT, postgres, "-D", data,
		"-c", "listen_addresses="+at.host, "-c", "port="+at.port, "-c", "unix_socket_directories=",
		// The data folder is in memory. With the default of 1 GB, the log of a load that writes
		// would fill the memory of the service.
		"-c", "max_wal_size=256MB",
	)
	return []*exec.Cmd{program}, nil
}

// findProgram returns the file to which the path of a program leads.
func findProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
