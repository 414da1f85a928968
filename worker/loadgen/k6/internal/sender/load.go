// Package sender sends a load, without a virtual user per connection.
package sender

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/mix"
	"tacho/worker/loadgen/k6/internal/series"
)

// Parameters are the arguments that lib/load.js passes to `sendLoad`.
type Parameters struct {
	Target         string        `json:"target"` // base URL of the service
	UserAgent      string        `json:"userAgent"`
	Requests       []mix.Request `json:"requests"`
	Plan           []PlanStep    `json:"plan"`        // empty for a closed load
	Connections    int           `json:"connections"` // at the start; a closed load never has more
	MaxConnections int           `json:"maxConnections"`
	TimeoutMs      int64         `json:"timeoutMs"`
	PauseMs        float64       `json:"pauseMs"`  // of a closed load, between response and request
	ArriveMs       float64       `json:"arriveMs"` // within which a closed load's connections begin
	Poisson        bool          `json:"poisson"`  // arrivals of an open load; otherwise evenly spaced
	Seed           uint64        `json:"seed"`     // of Poisson arrivals
	Count          *Count        `json:"count"`    // of a load that ends with a number of requests
	Turn           *int          `json:"turn"`     // 0 or 1, of an open load that takes turns
	SampleShare    float64       `json:"sampleShare"`
}

// Load is a load of requests that are drawn from a mix.
type Load struct {
	given    Parameters
	target   *url.URL
	address  *net.TCPAddr
	plan     plan
	timeout  time.Duration
	pause    time.Duration
	duration time.Duration
	logger   logrus.FieldLogger
}

// Run connects a load to the k6 run that it is part of.
type Run struct {
	NewTally         func() *series.Tally // called once per sender
	IsFinished       *atomic.Bool         // set to end the load early
	NewFeed          func() Feed          // called once per sender; nil if k6 does not count the requests
	Supply           *Supply              // of requests that the script draws; nil if it draws none
	Samples          chan<- Sample        // takes the responses to compare; nil to compare none
	SampleKey        string
	CountsFirstBytes bool
	Segment          Segment
}

// Feed receives each request after it has ended.
type Feed interface {
	Add(end time.Time, latency time.Duration, isFailed, isControl bool)
	Flush()
}

// Sample is a right response that is to be compared in full.
type Sample struct {
	Method    string
	Path      string
	Nonce     string
	Integer   uint64
	Script    any // what the script drew for the request
	Status    int
	Body      []byte
	Stamp     string // of a response that is signed
	Signature string

	Begin     time.Duration // when the request was due or sent, since the start of the load
	Sent      time.Duration
	End       time.Duration
	IsCounted bool // the checks have compared the whole body
}

// NewLoad returns a load that lasts at most a duration.
func NewLoad(
	given Parameters, duration time.Duration, logger logrus.FieldLogger,
) (*Load, error) {
	if given.Connections < 1 || given.MaxConnections < given.Connections || given.TimeoutMs < 1 ||
		given.PauseMs < 0 || given.ArriveMs < 0 || len(given.Requests) == 0 ||
		given.SampleShare < 0 || given.SampleShare > 1 || !plan(given.Plan).isValid() ||
		given.Count != nil && (given.Count.Requests < 1 || len(given.Plan) > 0) ||
		given.Turn != nil && (*given.Turn < 0 || *given.Turn > 1 || len(given.Plan) == 0) {
		return nil, errors.New("sendLoad() got invalid parameters: call it through lib/load.js")
	}
	load := &Load{
		given:    given,
		plan:     given.Plan,
		timeout:  time.Duration(given.TimeoutMs) * time.Millisecond,
		pause:    toDuration(given.PauseMs),
		duration: duration,
		logger:   logger,
	}
	if err := load.aimAt(given.Target); err != nil {
		return nil, err
	}
	_, err := load.NewMix() // reports faults of the script before the load begins
	return load, err
}

func toDuration(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

// aimAt resolves the address of the service.
func (l *Load) aimAt(target string) error {
	parsed, err := url.Parse(target)
	if err != nil {
		return fmt.Errorf("the service's URL: %w", err)
	}
	if parsed.Scheme != "http" {
		return fmt.Errorf("%s is not http://", target)
	}
	port := parsed.Port()
	if port == "" {
		port = "80"
	}
	l.address, err = net.ResolveTCPAddr("tcp", net.JoinHostPort(parsed.Hostname(), port))
	if err != nil {
		return fmt.Errorf("the service's address: %w", err)
	}
	l.target = parsed
	return nil
}

// NewMix returns another mix of the load's requests. Only one goroutine may use it.
func (l *Load) NewMix() (*mix.Mix, error) {
	return mix.New(l.target, l.given.UserAgent, l.given.Requests)
}

// newSockaddr returns the address in the kernel's form. Each call to connect writes to it, so two
// senders must not share an address.
func (l *Load) newSockaddr() (family int, address unix.Sockaddr) {
	if four := l.address.IP.To4(); four != nil {
		return unix.AF_INET, &unix.SockaddrInet4{Port: l.address.Port, Addr: [4]byte(four)}
	}
	six := [16]byte(l.address.IP.To16())
	return unix.AF_INET6, &unix.SockaddrInet6{Port: l.address.Port, Addr: six}
}

// isClosed reports whether each request waits for a response, instead of for its scheduled time.
func (l *Load) isClosed() bool { return len(l.plan) == 0 }

// newArrivals returns when the requests of the sender with this index are due, of count senders in the
// segment. It returns nil in a closed load.
func (l *Load) newArrivals(segment Segment, index, count int) arrivals {
	if l.isClosed() {
		return nil
	}
	first, step := segment.number(int64(index)), segment.number(int64(count))-segment.number(0)
	if l.given.Poisson {
		return newPoisson(l.plan, step, l.given.Seed, uint64(first))
	}
	return &uniform{plan: l.plan, next: first, step: step}
}

// countSenders returns one sender per CPU, but leaves one of Go's processors to everything else.
func (l *Load) countSenders() int {
	return max(min(runtime.NumCPU(), runtime.GOMAXPROCS(0)-1, l.given.Connections), 1)
}

// Send sends the load, and returns when it is over or ctx is done.
func (l *Load) Send(ctx context.Context, run Run) error {
	var stopped atomic.Bool
	count, counter := l.countSenders(), newCounter(l.given.Count, run.Segment)
	senders := make([]*sender, count)
	for index := range senders {
		made, err := newSender(l, run, &stopped, counter, index, count)
		if err != nil {
			return err
		}
		senders[index] = made
	}
	var running sync.WaitGroup
	for _, sender := range senders {
		running.Go(sender.run)
	}
	unwatch := context.AfterFunc(ctx, func() { stopped.Store(true) })
	defer unwatch()
	running.Wait()
	return nil
}
