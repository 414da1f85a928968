package main

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	protocolHeader = "AMQP\x00\x00\x09\x01" // AMQP 0-9-1
	methodFrame    = 1
	patience       = time.Second
)

// node is the RabbitMQ node that health checks.
type node struct {
	address string
	isReady atomic.Bool
}

// health answers 200 once the node accepts AMQP: it listens only after it has booted.
func (n *node) health(w http.ResponseWriter, _ *http.Request) {
	if !n.isReady.Load() {
		if err := greet(n.address); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		n.isReady.Store(true)
	}
	w.Write([]byte("ok"))
}

// greet opens a connection and waits for the first frame.
func greet(address string) error {
	connection, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return err
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(connection, protocolHeader); err != nil {
		return err
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(connection, first); err != nil {
		return err
	}
	if first[0] != methodFrame {
		return io.ErrUnexpectedEOF
	}
	return nil
}
