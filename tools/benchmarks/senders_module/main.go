// Sends one GET repeatedly with net/http or fasthttp, and writes what it measured as JSON. It is a
// peer of Tacho's own sender in `make bench-senders`.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

const userAgent = "tacho"

// send sends a request and returns the status of its response, whose body has been read.
type send func() (int, error)

// load is a load of one GET. A rate of 0 sends on each connection as fast as it responds.
type load struct {
	target      string
	connections int
	duration    time.Duration
	skipped     time.Duration // latencies of requests sent before are discarded
	ratePerS    int64

	next   atomic.Int64 // number of the next request at a rate
	failed atomic.Int64
}

func main() {
	client := flag.String("client", "nethttp", "nethttp or fasthttp")
	target := flag.String("url", "", "requested repeatedly")
	connections := flag.Int("connections", 1, "number of connections")
	seconds := flag.Int("seconds", 1, "length of the load")
	rate := flag.Int64("rate", 0, "requests per second; 0 for as many as possible")
	skipped := flag.Int("skipped", 0, "seconds at the start whose latencies are discarded")
	flag.Parse()
	l := &load{
		target:      *target,
		connections: *connections,
		duration:    time.Duration(*seconds) * time.Second,
		skipped:     time.Duration(*skipped) * time.Second,
		ratePerS:    *rate,
	}
	open, err := l.newClient(*client)
	if err != nil {
		log.Fatal(err)
	}
	latencies := l.run(open)
	if len(latencies) == 0 || l.failed.Load() > 0 {
		log.Fatalf("%d requests failed, %d succeeded", l.failed.Load(), len(latencies))
	}
	p99 := latencies[len(latencies)*99/100]
	line := map[string]float64{"p99_ms": float64(p99) / float64(time.Millisecond), "dropped": 0}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		log.Fatal(err)
	}
}

// newClient returns a function that opens a sender for each connection.
func (l *load) newClient(name string) (func() send, error) {
	switch name {
	case "nethttp":
		transport := &http.Transport{
			MaxConnsPerHost: l.connections, MaxIdleConnsPerHost: l.connections,
			DisableCompression: true,
		}
		client := &http.Client{Transport: transport}
		return func() send { return l.openNetHTTP(client) }, nil
	case "fasthttp":
		parsed, err := url.Parse(l.target)
		if err != nil {
			return nil, err
		}
		client := &fasthttp.HostClient{Addr: parsed.Host, MaxConns: l.connections}
		return func() send { return l.openFastHTTP(client) }, nil
	default:
		return nil, fmt.Errorf("unknown client %q", name)
	}
}

func (l *load) openNetHTTP(client *http.Client) send {
	request, err := http.NewRequest(http.MethodGet, l.target, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("User-Agent", userAgent)
	return func() (int, error) {
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		return response.StatusCode, err
	}
}

func (l *load) openFastHTTP(client *fasthttp.HostClient) send {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	request.SetRequestURI(l.target)
	request.Header.SetUserAgent(userAgent)
	return func() (int, error) {
		err := client.Do(request, response)
		return response.StatusCode(), err
	}
}

// run sends the load with a goroutine per connection, and returns the sorted latencies.
func (l *load) run(open func() send) []time.Duration {
	start := time.Now()
	measured := make([][]time.Duration, l.connections)
	var running sync.WaitGroup
	for index := range measured {
		request := open()
		running.Go(func() { measured[index] = l.sendFrom(start, request) })
	}
	running.Wait()
	latencies := slices.Concat(measured...)
	slices.Sort(latencies)
	return latencies
}

func (l *load) sendFrom(start time.Time, request send) []time.Duration {
	var latencies []time.Duration
	for l.awaitDue(start) {
		sent := time.Now()
		if status, err := request(); err != nil || status != http.StatusOK {
			l.failed.Add(1)
			continue
		}
		if sent.Sub(start) < l.skipped {
			continue
		}
		latencies = append(latencies, time.Since(sent))
	}
	return latencies
}

// awaitDue waits until the next request is due, and returns false once the load is over.
func (l *load) awaitDue(start time.Time) bool {
	if l.ratePerS == 0 {
		return time.Since(start) < l.duration
	}
	due := time.Duration((l.next.Add(1) - 1) * int64(time.Second) / l.ratePerS)
	if due >= l.duration {
		return false
	}
	time.Sleep(due - time.Since(start))
	return true
}
