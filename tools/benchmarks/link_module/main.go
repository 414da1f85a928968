// Link joins two network namespaces like a cable with a constant delay and a limited rate, for kernels
// without netem. It makes two TUN devices and forwards the packets of each to the other. Another
// program may move the devices to other namespaces.
//
// It reads shapes from stdin, one JSON object per line, and answers each with a report, when the shape
// applies. It ends, and its devices disappear, when stdin ends.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// Each direction occupies one of Go's processors, also while it waits.
const processors = 4

// shape is what the link does in each direction.
type shape struct {
	DelayNs     int64 `json:"delay_ns"`
	RateBitPerS int64 `json:"rate_bit_per_s"` // of IP packets; 0 for the rate of the machine
}

// report holds the numbers of packets of both directions since the start.
type report struct {
	IsRealTime bool  `json:"is_real_time"` // the threads run before those of other programs
	Forwarded  int64 `json:"forwarded"`
	Lost       int64 `json:"lost"` // the other device did not accept them
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: link DEVICE DEVICE")
	}
	first, err := openDevice(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	second, err := openDevice(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	// Go cannot stop the threads of the directions. It would wait for them before a garbage collection
	// and before a change of the number of processors.
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(processors)
	directions := []*direction{newDirection(first, second), newDirection(second, first)}
	for _, direction := range directions {
		started := make(chan struct{})
		go direction.run(func() { close(started) })
		<-started
	}
	if err := serve(os.Stdin, os.Stdout, directions); err != nil {
		log.Fatal(err)
	}
}

// openDevice makes a TUN device, which exists until its descriptor is closed.
func openDevice(name string) (descriptor int, err error) {
	descriptor, err = unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("open /dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return 0, fmt.Errorf("the name %q of a device: %w", name, err)
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(descriptor, unix.TUNSETIFF, request); err != nil {
		return 0, fmt.Errorf("make the TUN device %s: %w", name, err)
	}
	return descriptor, nil
}

// serve applies the shapes that it reads, until the input ends.
func serve(input io.Reader, output io.Writer, directions []*direction) error {
	shapes, reports := json.NewDecoder(input), json.NewEncoder(output)
	for {
		var wanted shape
		if err := shapes.Decode(&wanted); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a shape: %w", err)
		}
		found := report{IsRealTime: true}
		for _, direction := range directions {
			direction.delayNs.Store(wanted.DelayNs)
			direction.bitPerS.Store(wanted.RateBitPerS)
			found.IsRealTime = found.IsRealTime && direction.isRealTime.Load()
			found.Forwarded += direction.forwarded.Load()
			found.Lost += direction.lost.Load()
		}
		if err := reports.Encode(found); err != nil {
			return fmt.Errorf("write a report: %w", err)
		}
	}
}
