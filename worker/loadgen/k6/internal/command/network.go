package command

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	"tacho/worker/loadgen/k6/internal/jsonlines"
)

const (
	connectTimeout  = 5 * time.Second
	messageBytes    = 128 // about a small request or response
	roundTripTime   = 400 * time.Millisecond
	mostRoundTrips  = 4000
	fewestRoundTrip = 50
	warmUpTrips     = 10
	streamTime      = 300 * time.Millisecond
	// A measurement that takes longer has failed.
	measureTimeout = 30 * time.Second
)

// networkLine describes the network between this machine and an echo server.
type networkLine struct {
	Type        string  `json:"type"`
	RoundTrips  int     `json:"round_trips"`
	MinMs       float64 `json:"min_ms"`
	P50Ms       float64 `json:"p50_ms"`
	P90Ms       float64 `json:"p90_ms"`
	P99Ms       float64 `json:"p99_ms"`
	MaxMs       float64 `json:"max_ms"`
	SendMbps    float64 `json:"send_mbps"`
	ReceiveMbps float64 `json:"receive_mbps"`
}

// Network measures round trips to an echo server (`k6 echo`) and the throughput in both directions,
// and writes them as a line. It returns the exit code.
func Network(arguments []string, lines *jsonlines.Writer) int {
	flags := flag.NewFlagSet("network", flag.ContinueOnError)
	target := flags.String("target", "", "address and port of the echo server")
	if err := flags.Parse(arguments); err != nil {
		return 2
	}
	line, err := measureNetwork(*target)
	if err != nil {
		fmt.Fprintln(os.Stderr, "network:", err)
		return 1
	}
	if err := lines.Write(line); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func measureNetwork(target string) (*networkLine, error) {
	trips, err := measureRoundTrips(target)
	if err != nil {
		return nil, fmt.Errorf("round trips: %w", err)
	}
	sent, err := measureSending(target)
	if err != nil {
		return nil, fmt.Errorf("sending: %w", err)
	}
	received, err := measureReceiving(target)
	if err != nil {
		return nil, fmt.Errorf("receiving: %w", err)
	}
	slices.Sort(trips)
	quantile := func(share float64) float64 {
		return trips[int(share*float64(len(trips)-1))].Seconds() * 1e3
	}
	return &networkLine{
		Type:        "network",
		RoundTrips:  len(trips),
		MinMs:       quantile(0),
		P50Ms:       quantile(0.5),
		P90Ms:       quantile(0.9),
		P99Ms:       quantile(0.99),
		MaxMs:       quantile(1),
		SendMbps:    sent,
		ReceiveMbps: received,
	}, nil
}

// open connects to an echo server and selects what it does.
func open(target string, mode byte) (*net.TCPConn, error) {
	dialed, err := net.DialTimeout("tcp", target, connectTimeout)
	if err != nil {
		return nil, err
	}
	connection := dialed.(*net.TCPConn)
	if err := connection.SetDeadline(time.Now().Add(measureTimeout)); err != nil {
		return nil, err
	}
	_, err = connection.Write([]byte{mode})
	return connection, err
}

// measureRoundTrips sends messages one after the other.
func measureRoundTrips(target string) ([]time.Duration, error) {
	connection, err := open(target, modeEcho)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	message := make([]byte, messageBytes)
	var trips []time.Duration
	began := time.Now()
	for count := -warmUpTrips; count < mostRoundTrips; count++ {
		sent := time.Now()
		if count >= fewestRoundTrip && sent.Sub(began) > roundTripTime {
			break
		}
		if _, err := connection.Write(message); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(connection, message); err != nil {
			return nil, err
		}
		if count >= 0 {
			trips = append(trips, time.Since(sent))
		}
	}
	return trips, nil
}

// measureSending returns how fast the server received what it was sent.
func measureSending(target string) (mbps float64, err error) {
	connection, err := open(target, modeReceive)
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	piece := make([]byte, pieceBytes)
	for began := time.Now(); time.Since(began) < streamTime; {
		if _, err := connection.Write(piece); err != nil {
			return 0, err
		}
	}
	if err := connection.CloseWrite(); err != nil {
		return 0, err
	}
	var answer [16]byte
	if _, err := io.ReadFull(connection, answer[:]); err != nil {
		return 0, err
	}
	received := int64(binary.BigEndian.Uint64(answer[:8]))
	return toMbps(received, time.Duration(binary.BigEndian.Uint64(answer[8:]))), nil
}

// measureReceiving returns how fast the server's bytes arrive.
func measureReceiving(target string) (mbps float64, err error) {
	connection, err := open(target, modeSend)
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(streamTime)); err != nil {
		return 0, err
	}
	received, elapsed := drain(connection)
	return toMbps(received, elapsed), nil
}

func toMbps(bytes int64, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return float64(bytes) * 8 / 1e6 / elapsed.Seconds()
}
