package main

import (
	"encoding/binary"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// startDirection runs a direction between two pairs of sockets, which keep packets apart like devices.
// It returns the outer ends: packets go into the first and come out of the second.
func startDirection(t *testing.T, delay time.Duration) (into, out int) {
	t.Helper()
	// As in main: nothing may have to interrupt the direction.
	percent, processes := debug.SetGCPercent(-1), runtime.GOMAXPROCS(processors)
	into, from := newPair(t)
	to, out := newPair(t)
	if err := unix.SetNonblock(from, true); err != nil {
		t.Fatal(err)
	}
	d := newDirection(from, to)
	d.delayNs.Store(delay.Nanoseconds())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.forward()
	}()
	t.Cleanup(func() {
		_ = unix.Shutdown(into, unix.SHUT_RDWR)
		_ = unix.Shutdown(out, unix.SHUT_RDWR)
		<-ended
		for _, descriptor := range []int{into, from, to, out} {
			_ = unix.Close(descriptor)
		}
		debug.SetGCPercent(percent)
		runtime.GOMAXPROCS(processes)
	})
	return into, out
}

func newPair(t *testing.T) (int, int) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return pair[0], pair[1]
}

func TestPacketsArriveInOrderAndNotBeforeTheDelay(t *testing.T) {
	const delay = 30 * time.Millisecond
	into, out := startDirection(t, delay)
	for number := range 5 {
		sent := time.Now()
		if _, err := unix.Write(into, []byte{byte(number)}); err != nil {
			t.Fatal(err)
		}
		received := make([]byte, slotBytes)
		size, err := unix.Read(out, received)
		if err != nil || size != 1 || received[0] != byte(number) {
			t.Fatalf("packet %d: %d bytes, first %d, %v", number, size, received[0], err)
		}
		if passed := time.Since(sent); passed < delay {
			t.Errorf("packet %d arrived after %v", number, passed)
		}
	}
}

func TestMorePacketsThanFitAllArrive(t *testing.T) {
	const count = 3 * slots
	into, out := startDirection(t, 5*time.Millisecond)
	go func() {
		for number := range count {
			_, _ = unix.Write(into, binary.BigEndian.AppendUint32(nil, uint32(number)))
		}
	}()
	received := make([]byte, slotBytes)
	for number := range count {
		size, err := unix.Read(out, received)
		if err != nil || size != 4 || binary.BigEndian.Uint32(received) != uint32(number) {
			t.Fatalf("packet %d: %d bytes, %v, %v", number, size, received[:4], err)
		}
	}
}

func TestTheRateSpacesPackets(t *testing.T) {
	const delayNs, perPacketNs = 500_000, 1_000_000
	d := newDirection(0, 0)
	d.delayNs.Store(delayNs)
	if due := d.findDue(7, 1250); due != 7+delayNs {
		t.Errorf("without a rate, a packet is due at %d", due)
	}
	d.bitPerS.Store(10_000_000)
	for number := range int64(3) {
		if due := d.findDue(0, 1250); due != (number+1)*perPacketNs+delayNs {
			t.Errorf("packet %d is due at %d", number, due)
		}
	}
	// Time in which nothing was sent is not made up for.
	if due := d.findDue(10*perPacketNs, 1250); due != 11*perPacketNs+delayNs {
		t.Errorf("after a pause, a packet is due at %d", due)
	}
}

func TestShapesApplyToBothDirections(t *testing.T) {
	directions := []*direction{newDirection(0, 0), newDirection(0, 0)}
	directions[0].forwarded.Store(2)
	directions[1].forwarded.Store(3)
	var output strings.Builder
	input := strings.NewReader(`{"delay_ns": 500000, "rate_bit_per_s": 1000}` + "\n")
	if err := serve(input, &output, directions); err != nil {
		t.Fatal(err)
	}
	for index, direction := range directions {
		if direction.delayNs.Load() != 500_000 || direction.bitPerS.Load() != 1000 {
			t.Errorf("direction %d has another shape", index)
		}
	}
	expected := `{"is_real_time":false,"forwarded":5,"lost":0}` + "\n"
	if output.String() != expected {
		t.Errorf("the report is %s", output.String())
	}
	if err := serve(strings.NewReader("no JSON"), &output, directions); err == nil {
		t.Error("a line that is no JSON was accepted")
	}
}
