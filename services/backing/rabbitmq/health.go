package main

import (
	"io"
	"net"
)

const (
	protocolHeader = "AMQP\x00\x00\x09\x01" // AMQP 0-9-1
	methodFrame    = 1
)

// greet begins AMQP and waits for the first frame. The node listens only after it has booted.
func greet(connection net.Conn) error {
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
