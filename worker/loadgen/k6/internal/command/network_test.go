package command

import (
	"net"
	"testing"
)

func TestNetworkIsMeasuredInBothDirections(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(connection)
		}
	}()
	line, err := measureNetwork(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if line.RoundTrips < fewestRoundTrip || line.MinMs <= 0 || line.SendMbps <= 0 || line.ReceiveMbps <= 0 {
		t.Errorf("not measured: %+v", line)
	}
	if line.MinMs > line.P50Ms || line.P50Ms > line.P90Ms || line.P90Ms > line.P99Ms || line.P99Ms > line.MaxMs {
		t.Errorf("quantiles are not in order: %+v", line)
	}
}

func TestAServerThatIsAbsentIsAnError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	if _, err := measureNetwork(address); err == nil {
		t.Error("there is no error")
	}
}
