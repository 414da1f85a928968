package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// A trial's folder for temporary files is small. The memory limit of the container is lower than the
// memory of the host, but the node can only read the latter.
const configuration = `listeners.tcp.default = %s
disk_free_limit.absolute = 1MB
vm_memory_high_watermark.absolute = 600MB
log.console = true
log.file = false
`

type settings struct {
	environment   []string
	epmdArguments []string
}

// writeSettings writes the settings of a node that shares nothing with other nodes on this host and
// that other hosts cannot reach.
func writeSettings(at place) (*settings, error) {
	folder, address := at.folder, net.JoinHostPort(at.host, at.port)
	file := filepath.Join(folder, "rabbitmq.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, configuration, address), 0o600); err != nil {
		return nil, err
	}
	plugins := filepath.Join(folder, "enabled_plugins")
	if err := os.WriteFile(plugins, []byte("[].\n"), 0o600); err != nil {
		return nil, err
	}
	ports, err := findFreePorts(2)
	if err != nil {
		return nil, err
	}
	epmdPort, nodePort := ports[0], ports[1]
	return &settings{
		epmdArguments: []string{"-port", epmdPort, "-address", "127.0.0.1"},
		environment: []string{
			"HOME=" + folder,
			"RABBITMQ_NODENAME=tacho@localhost",
			"RABBITMQ_CONFIG_FILE=" + file,
			"RABBITMQ_ENABLED_PLUGINS_FILE=" + plugins,
			"RABBITMQ_MNESIA_BASE=" + filepath.Join(folder, "data"),
			"RABBITMQ_LOG_BASE=" + filepath.Join(folder, "log"),
			"RABBITMQ_PID_FILE=" + filepath.Join(folder, "pid"),
			"RABBITMQ_DIST_PORT=" + nodePort,
			"ERL_EPMD_PORT=" + epmdPort,
			"ERL_EPMD_ADDRESS=127.0.0.1",
		},
	}, nil
}

// findFreePorts returns different ports that are free now.
func findFreePorts(count int) ([]string, error) {
	ports := make([]string, 0, count)
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		ports = append(ports, strconv.Itoa(listener.Addr().(*net.TCPAddr).Port))
	}
	return ports, nil
}
