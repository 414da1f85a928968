package command

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"tacho/worker/loadgen/k6/internal/jsonlines"
)

// The first byte that a client sends on a connection selects what the server does.
const (
	modeEcho    = 'e' // send back each byte
	modeSend    = 's' // send until the client closes the connection
	modeReceive = 'r' // receive until the client ends its stream, then send what arrived in which time
)

const pieceBytes = 256 << 10

// echoLine is the first line, once the server accepts connections.
type echoLine struct {
	Type string `json:"type"`
	Port int    `json:"port"`
}

// Echo serves measurements of the network (`k6 network`) on a free port of an address until it is
// interrupted. It returns the exit code.
func Echo(arguments []string, lines *jsonlines.Writer) int {
	flags := flag.NewFlagSet("echo", flag.ContinueOnError)
	address := flags.String("address", "", "address to listen on")
	port := flags.Int("port", 0, "port to listen on; 0 is a free one")
	if err := flags.Parse(arguments); err != nil {
		return 2
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(*address, fmt.Sprint(*port)))
	if err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		return 1
	}
	line := echoLine{Type: "echo", Port: listener.Addr().(*net.TCPAddr).Port}
	if err := lines.Write(line); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, "echo:", err)
			return 1
		}
		go serve(connection)
	}
}

// serve handles a connection. Its errors are those of a client that has gone.
func serve(connection net.Conn) {
	defer connection.Close()
	var mode [1]byte
	if _, err := io.ReadFull(connection, mode[:]); err != nil {
		return
	}
	switch mode[0] {
	case modeEcho:
		_, _ = io.Copy(connection, connection)
	case modeSend:
		piece := make([]byte, pieceBytes)
		for {
			if _, err := connection.Write(piece); err != nil {
				return
			}
		}
	case modeReceive:
		received, elapsed := drain(connection)
		var answer [16]byte
		binary.BigEndian.PutUint64(answer[:8], uint64(received))
		binary.BigEndian.PutUint64(answer[8:], uint64(elapsed))
		_, _ = connection.Write(answer[:])
	}
}

// drain reads to the end of a stream, or to the connection's deadline. It returns the number of bytes
// after the first piece, and the time from that piece to the last one.
func drain(connection net.Conn) (received int64, elapsed time.Duration) {
	piece := make([]byte, pieceBytes)
	if _, err := connection.Read(piece); err != nil {
		return 0, 0
	}
	began := time.Now()
	for {
		count, err := connection.Read(piece)
		if count > 0 {
			received += int64(count)
			elapsed = time.Since(began)
		}
		if err != nil {
			return received, elapsed
		}
	}
}
