// Package sender sends a load that consists of a single GET, without a virtual user per connection.
package sender

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/series"
)

const (
	// CheckedEvery is N if one in N responses is read and checked.
	CheckedEvery = 100

	maxRequestBytes     = 4 << 10 // fits into the buffer of any connection
	shownBodyCharacters = 200
)

// Parameters are the arguments that lib/request.js passes to `sendGets`.
type Parameters struct {
	URL            string     `json:"url"`
	Plan           []PlanStep `json:"plan"`        // empty for a closed load
	Connections    int        `json:"connections"` // at the start; a closed load never has more
	MaxConnections int        `json:"maxConnections"`
	TimeoutMs      int64      `json:"timeoutMs"`
	UserAgent      string     `json:"userAgent"`
	BodyText       *string    `json:"bodyText"`    // body of a correct response,
	BodyPattern    *string    `json:"bodyPattern"` // or its pattern
}

// Load is a load that sends the same GET repeatedly.
type Load struct {
	url            string
	request        []byte
	address        *net.TCPAddr
	plan           plan
	connections    int
	maxConnections int
	timeout        time.Duration
	duration       time.Duration
	bodyText       *string
	bodyPattern    *regexp.Regexp
	logger         logrus.FieldLogger
}

// Run connects a load to the k6 run that it is part of.
type Run struct {
	NewTally   func() *series.Tally // called once per sender
	IsFinished *atomic.Bool         // set to end the load early
	NewFeed    func() Feed          // called once per sender; nil if k6 does not count the requests
}

// Feed receives each request after it has ended.
type Feed interface {
	Add(end time.Time, latency time.Duration, isFailed bool)
	Flush()
}

// NewLoad returns a load that lasts at most a duration.
func NewLoad(
	given Parameters, duration time.Duration, logger logrus.FieldLogger,
) (*Load, error) {
	if given.Connections < 1 || given.MaxConnections < given.Connections || given.TimeoutMs < 1 ||
		!plan(given.Plan).isValid() || (given.BodyText == nil) == (given.BodyPattern == nil) {
		return nil, errors.New("sendGets() got invalid parameters: call it through lib/request.js")
	}
	load := &Load{
		url:            given.URL,
		plan:           given.Plan,
		connections:    given.Connections,
		maxConnections: given.MaxConnections,
		timeout:        time.Duration(given.TimeoutMs) * time.Millisecond,
		duration:       duration,
		bodyText:       given.BodyText,
		logger:         logger,
	}
	if given.BodyPattern != nil {
		pattern, err := regexp.Compile(*given.BodyPattern)
		if err != nil {
			return nil, fmt.Errorf("the pattern of a correct response: %w", err)
		}
		load.bodyPattern = pattern
	}
	return load, load.aimAt(given.URL, given.UserAgent)
}

// aimAt sets the request, which has the same bytes as k6's, and resolves its address.
func (l *Load) aimAt(target, userAgent string) error {
	parsed, err := url.Parse(target)
	if err != nil {
		return fmt.Errorf("the service's URL: %w", err)
	}
	if parsed.Scheme != "http" {
		return fmt.Errorf("%s is not http:// : send it with request()", target)
	}
	port := parsed.Port()
	if port == "" {
		port = "80"
	}
	l.address, err = net.ResolveTCPAddr("tcp", net.JoinHostPort(parsed.Hostname(), port))
	if err != nil {
		return fmt.Errorf("the service's address: %w", err)
	}
	l.request = fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n\r\n",
		parsed.RequestURI(), parsed.Host, userAgent)
	if len(l.request) > maxRequestBytes {
		return fmt.Errorf("a request of %d bytes: send it with request()", len(l.request))
	}
	return nil
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

// isExpected reports whether a response is the expected one.
func (l *Load) isExpected(status int, body []byte) bool {
	if status != 200 {
		return false
	}
	if l.bodyPattern != nil {
		return l.bodyPattern.Match(body)
	}
	return string(body) == *l.bodyText
}

// logWrong logs a wrong response, so that a person can find the reason.
func (l *Load) logWrong(status int, body []byte) {
	shown := body[:min(len(body), shownBodyCharacters)]
	l.logger.Errorf("wrong response from %s: status %d, body %s", l.url, status, shown)
}

// countSenders returns one sender per CPU, but leaves one of Go's processors to everything else.
func (l *Load) countSenders() int {
	return max(min(runtime.NumCPU(), runtime.GOMAXPROCS(0)-1, l.connections), 1)
}

// Send sends the load, and returns when it is over or ctx is done.
func (l *Load) Send(ctx context.Context, run Run) error {
	var stopped atomic.Bool
	count := l.countSenders()
	senders := make([]*sender, count)
	for index := range senders {
		made, err := newSender(l, run, &stopped, index, count)
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
