package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
)

const (
	user            = "postgres"
	protocolVersion = 3 << 16
	longestMessage  = 64 << 10
	terminate       = "X\x00\x00\x00\x04"
)

// greet signs in and waits until the server is ready for a query.
func greet(connection net.Conn) error {
	if _, err := connection.Write(makeStartup()); err != nil {
		return err
	}
	reader := bufio.NewReader(connection)
	for {
		kind, body, err := readMessage(reader)
		if err != nil {
			return err
		}
		switch kind {
		case 'E':
			return fmt.Errorf("PostgreSQL answers %q", body)
		case 'Z': // ready for a query
			_, err := io.WriteString(connection, terminate)
			return err
		}
	}
}

// makeStartup returns the first message of a client. The database has the name of the user.
func makeStartup() []byte {
	parameters := "user\x00" + user + "\x00\x00"
	message := binary.BigEndian.AppendUint32(nil, uint32(8+len(parameters)))
	message = binary.BigEndian.AppendUint32(message, protocolVersion)
	return append(message, parameters...)
}

// readMessage returns the type and the body of the next message.
func readMessage(reader *bufio.Reader) (byte, []byte, error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(reader, head); err != nil {
		return 0, nil, err
	}
	length := binary.BigEndian.Uint32(head[1:])
	if length < 4 || length > longestMessage {
		return 0, nil, fmt.Errorf("PostgreSQL announces a message of %d bytes", length)
	}
	body := make([]byte, length-4)
	_, err := io.ReadFull(reader, body)
	return head[0], body, err
}
