package main

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
)

const (
	maxRequestBytes     = 4 << 10 // any connection's buffer takes so much at once
	shownBodyCharacters = 200
)

// getParameters is what lib/request.js asks of `sendGets`.
type getParameters struct {
	URL            string     `json:"url"`
	Plan           []planStep `json:"plan"`        // none: a closed load
	Connections    int        `json:"connections"` // to begin with; all of a closed load
	MaxConnections int        `json:"maxConnections"`
	TimeoutMs      int64      `json:"timeoutMs"`
	UserAgent      string     `json:"userAgent"`
	BodyText       *string    `json:"bodyText"`    // what a right answer's body is,
	BodyPattern    *string    `json:"bodyPattern"` // or matches
}

// getLoad is a load that consists of one GET, again and again.
type getLoad struct {
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

func newGetLoad(
	given getParameters, duration time.Duration, logger logrus.FieldLogger,
) (*getLoad, error) {
	if given.Connections < 1 || given.MaxConnections < given.Connections || given.TimeoutMs < 1 ||
		!plan(given.Plan).isRight() || (given.BodyText == nil) == (given.BodyPattern == nil) {
		return nil, errors.New("sendGets() got no right parameters: call it by lib/request.js")
	}
	load := &getLoad{
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
			return nil, fmt.Errorf("the pattern of a right answer: %w", err)
		}
		load.bodyPattern = pattern
	}
	return load, load.aimAt(given.URL, given.UserAgent)
}

// aimAt writes the request, the same bytes that k6 sends, and looks up its address.
func (l *getLoad) aimAt(target, userAgent string) error {
	parsed, err := url.Parse(target)
	if err != nil {
		return fmt.Errorf("the service's URL: %w", err)
	}
	if parsed.Scheme != "http" {
		return fmt.Errorf("%s is not http:// : send to it by request()", target)
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
		return fmt.Errorf("a request of %d bytes: send it by request()", len(l.request))
	}
	return nil
}

// newSockaddr returns the address in the kernel's form. Each call to connect writes to it, so two
// senders must not share an address.
func (l *getLoad) newSockaddr() (family int, address unix.Sockaddr) {
	if four := l.address.IP.To4(); four != nil {
		return unix.AF_INET, &unix.SockaddrInet4{Port: l.address.Port, Addr: [4]byte(four)}
	}
	six := [16]byte(l.address.IP.To16())
	return unix.AF_INET6, &unix.SockaddrInet6{Port: l.address.Port, Addr: six}
}

// isClosed reports whether each request waits for a response, instead of for its scheduled time.
func (l *getLoad) isClosed() bool { return len(l.plan) == 0 }

// isRight reports whether a response is the expected one.
func (l *getLoad) isRight(status int, body []byte) bool {
	if status != 200 {
		return false
	}
	if l.bodyPattern != nil {
		return l.bodyPattern.Match(body)
	}
	return string(body) == *l.bodyText
}

// showWrong logs a wrong response, so that a person can find the reason.
func (l *getLoad) showWrong(status int, body []byte) {
	shown := body[:min(len(body), shownBodyCharacters)]
	l.logger.Errorf("wrong answer from %s: status %d, body %s", l.url, status, shown)
}

// countSenders is one a CPU, and leaves one of Go's processors to everything else.
func (l *getLoad) countSenders() int {
	return max(min(runtime.NumCPU(), runtime.GOMAXPROCS(0)-1, l.connections), 1)
}

// send sends the load, and returns when it is over or ctx is done.
func (l *getLoad) send(ctx context.Context, schedule *schedule, newFeed func() *k6Feed) error {
	var stopped atomic.Bool
	count := l.countSenders()
	senders := make([]*sender, count)
	for index := range senders {
		made, err := newSender(l, schedule.newTally(), &schedule.isFinished, &stopped, index, count)
		if err != nil {
			return err
		}
		made.feed = newFeed()
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
