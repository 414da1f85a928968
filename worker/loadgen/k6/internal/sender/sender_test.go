package sender

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/check"
	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/mix"
	"tacho/worker/loadgen/k6/internal/series"
)

// The services of these tests run in the same process as the two senders.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(max(runtime.NumCPU(), 2) + 2)
	os.Exit(m.Run())
}

// testLoad is a load that has ended, and what its senders counted.
type testLoad struct {
	start       time.Time
	lines       []series.Line
	interrupted uint64
	checks      checks.Checks
	log         *logtest.Hook
}

// sendLoad sends a load for a second.
func sendLoad(ctx context.Context, t *testing.T, given Parameters) testLoad {
	t.Helper()
	return sendLoadFor(ctx, t, 1, new(atomic.Bool), given, Run{})
}

func sendLoadFor(
	ctx context.Context, t *testing.T, seconds int, isFinished *atomic.Bool, given Parameters, run Run,
) testLoad {
	t.Helper()
	logger, hook := logtest.NewNullLogger()
	load, err := NewLoad(withDefaults(given), time.Duration(seconds)*time.Second, logger)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	var tallies []*series.Tally
	newTally := func() *series.Tally {
		tallies = append(tallies, series.NewTally(start, seconds))
		return tallies[len(tallies)-1]
	}
	run.NewTally, run.IsFinished = newTally, isFinished
	if err := load.Send(ctx, run); err != nil {
		t.Fatal(err)
	}
	sent := testLoad{start: start, log: hook}
	total := series.New(start, seconds)
	for _, tally := range tallies {
		tally.MoveTo(total)
		sent.interrupted += tally.CountInterrupted()
	}
	sent.checks = total.Checks
	sent.lines = total.TakeLines(start.Add(time.Duration(seconds)*time.Second), true)
	return sent
}

// rate returns a plan with a single rate.
func rate(perSecond int64) []PlanStep { return []PlanStep{{RatePerSecond: perSecond, Seconds: 1}} }

// expectRight returns the kind of request that `right` answers.
func expectRight() mix.Request {
	return mix.Request{Path: "/", Expect: check.Given{Text: text("right")}}
}

func withDefaults(given Parameters) Parameters {
	if given.Requests == nil {
		given.Requests = []mix.Request{expectRight()}
	}
	if given.TimeoutMs == 0 {
		given.TimeoutMs = 2000
	}
	given.Connections = max(given.Connections, 1)
	given.MaxConnections = max(given.MaxConnections, given.Connections)
	return given
}

// serve handles each connection with a function until the function returns false.
func serve(t *testing.T, answer func(net.Conn, *bufio.Reader) bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				for reader := bufio.NewReader(connection); answer(connection, reader); {
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// right sends the expected response to a request, and returns false if there was no request.
func right(connection net.Conn, reader *bufio.Reader) bool {
	if _, err := http.ReadRequest(reader); err != nil {
		return false
	}
	_, err := connection.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright"))
	return err == nil
}

func (l testLoad) mustCount(t *testing.T, requests int64, kind failure.Kind, failed int64) {
	t.Helper()
	first := l.lines[0]
	if first.Requests != requests || first.Failed != failed || first.Errors[kind.String()] != failed {
		t.Errorf("%d requests, %d failed, errors %v; want %d, %d of kind %s", first.Requests,
			first.Failed, first.Errors, requests, failed, kind)
	}
}

func TestClosedLoadCountsTheResponsesOfTheService(t *testing.T) {
	var answered, connections atomic.Int64
	url := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		isRight := right(connection, reader)
		if isRight {
			answered.Add(1)
		} else {
			connections.Add(1)
		}
		return isRight
	})
	load := sendLoad(t.Context(), t, Parameters{Target: url, Connections: 3})
	time.Sleep(20 * time.Millisecond) // the service counts a response after sending it
	load.mustCount(t, answered.Load(), failure.Other, 0)
	first := load.lines[0]
	if answered.Load() < 100 || first.InFlight > 3 || first.InFlight < 2 {
		t.Errorf("%d requests, %v in flight", first.Requests, first.InFlight)
	}
	if first.BytesReceived != answered.Load()*43 {
		t.Errorf("%d bytes of %d answers of 43", first.BytesReceived, answered.Load())
	}
	if connections.Load() != 3 || first.Connections != 3 {
		t.Errorf("%d connections, %d counted, want 3 kept alive", connections.Load(), first.Connections)
	}
}

func TestOpenLoadSendsExactlyItsRate(t *testing.T) {
	load := sendLoad(t.Context(), t, Parameters{Target: serve(t, right), Plan: rate(333), MaxConnections: 333})
	load.mustCount(t, 333, failure.Other, 0)
	if late := countEncoded(t, load.lines[0].Lateness); late != 333 {
		t.Errorf("lateness of %d sends, want 333", late)
	}
}

func TestOpenLoadDropsRequestsWithoutAConnection(t *testing.T) {
	url := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		time.Sleep(200 * time.Millisecond)
		return right(connection, reader)
	})
	load := sendLoad(t.Context(), t, Parameters{Target: url, Plan: rate(100), Connections: 1, MaxConnections: 4})
	first := load.lines[0]
	// 4 connections with 5 responses per second each. The last responses arrive after the end.
	if first.Requests < 12 || first.Requests > 24 || first.Requests+first.Dropped != 100 || first.Failed != 0 {
		t.Errorf("%d requests, %d dropped, %d failed", first.Requests, first.Dropped, first.Failed)
	}
}

func TestErrorsByKind(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	read := func(reader *bufio.Reader) bool {
		_, err := http.ReadRequest(reader)
		return err == nil
	}
	respond := func(text string) string {
		return serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
			if read(reader) {
				_, err := connection.Write([]byte(text))
				return err == nil
			}
			return false
		})
	}
	for name, test := range map[string]struct {
		url  string
		kind failure.Kind
	}{
		"refused":      {"http://" + closed.Addr().String(), failure.Refused},
		"client error": {respond("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), failure.Status4xx},
		"server error": {respond("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"), failure.Status5xx},
		"not HTTP":     {respond("anything\r\n\r\nat all\r\n\r\n"), failure.Other},
		"unanswered": {serve(t, func(_ net.Conn, reader *bufio.Reader) bool {
			read(reader)
			return false
		}), failure.Other},
		"reset": {serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
			read(reader)
			_ = connection.(*net.TCPConn).SetLinger(0)
			return false
		}), failure.Reset},
		"timeout": {serve(t, func(_ net.Conn, reader *bufio.Reader) bool {
			return read(reader)
		}), failure.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			given := Parameters{Target: test.url, Plan: rate(20), Connections: 40, TimeoutMs: 300}
			load := sendLoad(t.Context(), t, given)
			load.mustCount(t, 20, test.kind, 20)
			timedOut := int64(0)
			if test.kind == failure.Timeout {
				timedOut = 20
			}
			first := load.lines[0]
			if in := countEncoded(t, first.Latency); in != uint64(timedOut) || first.LatencySumNs < timedOut*3e8 {
				t.Errorf("%d latencies of %d ns, want %d of at least 0.3 s each", in, first.LatencySumNs, timedOut)
			}
			if others := countEncoded(t, first.LatencyFailed); others != uint64(20-timedOut) {
				t.Errorf("%d latencies of failed requests, want %d", others, 20-timedOut)
			}
		})
	}
}

func TestLatencyOfAnOpenLoadIncludesTheWaitForTheService(t *testing.T) {
	// The service accepts no connection for half a second. The kernel's queue holds one.
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	listener := mustListen(t, fd, 0)
	time.AfterFunc(500*time.Millisecond, func() { answerAll(listener) })
	load := sendLoadFor(t.Context(), t, 2, new(atomic.Bool), Parameters{
		Target: "http://" + listener.Addr().String(), Plan: rate(40), Connections: 100, TimeoutMs: 5000,
	}, Run{})
	requests, latency, service := int64(0), int64(0), uint64(0)
	for _, line := range load.lines {
		requests += line.Requests
		latency += line.LatencySumNs
		service += countEncoded(t, line.ServiceTime)
	}
	// The requests of the first half second waited for 0.25 s on average: 20 of them 5 s in all.
	if requests != 80 || latency < 5e9 || service != 80 {
		t.Errorf("%d requests, latencies of %d ns, %d service times", requests, latency, service)
	}
}

func mustListen(t *testing.T, fd, backlog int) net.Listener {
	t.Helper()
	address := &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	if err := errors.Join(unix.Bind(fd, address), unix.Listen(fd, backlog)); err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "listener")
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

func answerAll(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer connection.Close()
			for reader := bufio.NewReader(connection); right(connection, reader); {
			}
		}()
	}
}

func TestAClosedLoadHasNeitherServiceTimesNorLateness(t *testing.T) {
	load := sendLoad(t.Context(), t, Parameters{Target: serve(t, right), Connections: 2})
	first := load.lines[0]
	if first.ServiceTime != "" || first.Lateness != "" || countEncoded(t, first.Latency) != uint64(first.Requests) {
		t.Errorf("%+v", first)
	}
}

func TestATimeoutOfAClosedLoadCountsAsTheTimeout(t *testing.T) {
	// The kernel's queue holds one connection, so most of these never open.
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	target := "http://" + mustListen(t, fd, 0).Addr().String()
	load := sendLoad(t.Context(), t, Parameters{Target: target, Connections: 4, TimeoutMs: 600})
	first := load.lines[0]
	if first.Requests != 8 || first.Errors["timeout"] != 8 || first.LatencySumNs < 8*6e8 {
		t.Errorf("%d requests, errors %v, latencies of %d ns", first.Requests, first.Errors, first.LatencySumNs)
	}
}

func TestResponsesAfterTheEndBelongToTheSecondOfSending(t *testing.T) {
	url := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		if _, err := http.ReadRequest(reader); err != nil {
			return false
		}
		time.Sleep(700 * time.Millisecond)
		_, err := connection.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright"))
		return err == nil
	})
	load := sendLoad(t.Context(), t, Parameters{Target: url, Plan: rate(10), Connections: 10})
	load.mustCount(t, 10, failure.Other, 0)
	if least := load.lines[0].LatencySumNs; least < 7e9 {
		t.Errorf("latencies add up to %d ns", least)
	}
}

func TestConnectionsClosedByTheServiceAreNoErrors(t *testing.T) {
	const closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nright"
	for name, answer := range map[string]func(net.Conn, *bufio.Reader) bool{
		"announced": func(connection net.Conn, reader *bufio.Reader) bool {
			if _, err := http.ReadRequest(reader); err == nil {
				_, _ = connection.Write([]byte(closing))
			}
			return false
		},
		"while idle": func(connection net.Conn, reader *bufio.Reader) bool {
			right(connection, reader)
			return false
		},
		"as the next request comes": func(connection net.Conn, reader *bufio.Reader) bool {
			if right(connection, reader) {
				_, _ = http.ReadRequest(reader)
			}
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, answer)
			load := sendLoad(t.Context(), t, Parameters{Target: url, Plan: rate(50), Connections: 2, MaxConnections: 50})
			load.mustCount(t, 50, failure.Other, 0)
			if opened := load.lines[0].Connections; opened != 50 && name != "as the next request comes" {
				t.Errorf("%d connections opened, want one for each of 50 requests", opened)
			}
			load = sendLoad(t.Context(), t, Parameters{Target: url, Connections: 2})
			load.mustCount(t, load.lines[0].Requests, failure.Other, 0)
		})
	}
}

func TestAStoppedLoadEndsAtOnce(t *testing.T) {
	url := serve(t, func(_ net.Conn, reader *bufio.Reader) bool {
		_, err := http.ReadRequest(reader)
		return err == nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	load := sendLoad(ctx, t, Parameters{Target: url, Connections: 3})
	if taken := time.Since(begun); taken > 500*time.Millisecond {
		t.Errorf("it went on for %v", taken)
	}
	load.mustCount(t, 0, failure.Other, 0)
	if load.interrupted != 3 {
		t.Errorf("%d interrupted, want 3", load.interrupted)
	}
}

func TestLoadsThatCannotBeSentFromGoAreRefused(t *testing.T) {
	const target = "http://127.0.0.1/"
	of := func(request mix.Request) Parameters {
		return Parameters{Target: target, Requests: []mix.Request{request}}
	}
	share := 0.4
	for expected, given := range map[string]Parameters{
		"is not http":             {Target: "https://127.0.0.1/"},
		"the service's URL":       {Target: "http://127.0.0.1:port/"},
		"not a line of a request": of(mix.Request{Path: "/a b"}),
		"is not a value":          of(mix.Request{Path: "/{nonce:17}"}),
		"{stamp} cannot be in":    of(mix.Request{Path: "/{stamp}"}),
		"expect.pattern":          of(mix.Request{Path: "/", Expect: check.Given{Pattern: text("(?=x)")}}),
		"add up to 0.4":           of(mix.Request{Path: "/", Share: &share}),
		"no expect.signing":       of(mix.Request{Path: "/", Expect: check.Given{Text: text("{signature}")}}),
		"got invalid parameter":   {Target: target, PauseMs: -1},
	} {
		_, err := NewLoad(withDefaults(given), time.Second, logrus.New())
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%q is not in %v", expected, err)
		}
	}
}

func TestAPlanIsSentStepByStep(t *testing.T) {
	steps := []PlanStep{{RatePerSecond: 40, Seconds: 1}, {RatePerSecond: 90, Seconds: 1}, {RatePerSecond: 20, Seconds: 1}}
	load := sendLoadFor(t.Context(), t, 4, new(atomic.Bool),
		Parameters{Target: serve(t, right), Plan: steps, MaxConnections: 90}, Run{})
	sent := int64(0)
	for second, want := range []int64{40, 90, 20, 20} {
		got := load.lines[second].Requests
		sent += got
		// A busy machine sends a few requests late, so that they count in the next second.
		if late := max(got-want, want-got); late > 10 {
			t.Errorf("%d requests in second %d, want %d", got, second, want)
		}
	}
	if sent != 170 {
		t.Errorf("%d requests, want 170", sent)
	}
}

func TestAFinishedLoadWaitsForResponsesAndSendsNoMoreRequests(t *testing.T) {
	for name, plan := range map[string][]PlanStep{"closed": nil, "open": rate(20)} {
		t.Run(name, func(t *testing.T) {
			var asked, answered atomic.Int64
			url := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
				if _, err := http.ReadRequest(reader); err != nil {
					return false
				}
				asked.Add(1)
				time.Sleep(600 * time.Millisecond)
				answered.Add(1)
				_, err := connection.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright"))
				return err == nil
			})
			var isFinished atomic.Bool
			time.AfterFunc(300*time.Millisecond, func() { isFinished.Store(true) })
			load := sendLoadFor(t.Context(), t, 30, &isFinished,
				Parameters{Target: url, Plan: plan, Connections: 7}, Run{})
			if taken := time.Since(load.start); taken < 600*time.Millisecond || taken > 1200*time.Millisecond {
				t.Errorf("it went on for %v", taken)
			}
			load.mustCount(t, asked.Load(), failure.Other, 0)
			if answered.Load() != asked.Load() || asked.Load() < 6 || asked.Load() > 7 || load.interrupted != 0 {
				t.Errorf("%d asked, %d answered, %d interrupted", asked.Load(), answered.Load(), load.interrupted)
			}
		})
	}
}

// countEncoded returns the number of values in an encoded histogram.
func countEncoded(t *testing.T, encoded string) uint64 {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	sum := uint64(0)
	for len(raw) > 0 {
		_, read := binary.Uvarint(raw)
		count, more := binary.Uvarint(raw[read:])
		raw = raw[read+more:]
		sum += count
	}
	return sum
}

func text(given string) *string { return &given }
