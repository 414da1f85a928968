package main

import (
	"bufio"
	"context"
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
)

// The services of these tests are in the same process as two senders.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(max(runtime.NumCPU(), 2) + 2)
	os.Exit(m.Run())
}

// loadBench sends a load for a second and keeps what was counted.
type loadBench struct {
	series   *series
	schedule *schedule
	log      *logtest.Hook
}

func sendLoad(ctx context.Context, t *testing.T, given getParameters) loadBench {
	t.Helper()
	return sendLoadBy(ctx, t, &schedule{seconds: 1, start: time.Now()}, given)
}

func sendLoadBy(ctx context.Context, t *testing.T, s *schedule, given getParameters) loadBench {
	t.Helper()
	logger, hook := logtest.NewNullLogger()
	load, err := newGetLoad(withDefaults(given), s.duration(), logger)
	if err != nil {
		t.Fatal(err)
	}
	if err := load.send(ctx, s, func() *k6Feed { return nil }); err != nil {
		t.Fatal(err)
	}
	bench := loadBench{series: newSeries(s.start, s.seconds), schedule: s, log: hook}
	for _, tally := range s.sendersTallies() {
		tally.moveTo(bench.series)
	}
	return bench
}

// rate is the plan of one rate.
func rate(perSecond int64) []planStep { return []planStep{{RatePerSecond: perSecond, Seconds: 1}} }

func withDefaults(given getParameters) getParameters {
	right := "right"
	if given.BodyText == nil && given.BodyPattern == nil {
		given.BodyText = &right
	}
	if given.TimeoutMs == 0 {
		given.TimeoutMs = 2000
	}
	given.Connections = max(given.Connections, 1)
	given.MaxConnections = max(given.MaxConnections, given.Connections)
	return given
}

// serve answers each connection by a function until it returns false.
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
	return "http://" + listener.Addr().String() + "/"
}

// right answers one request as expected; false when there was none.
func right(connection net.Conn, reader *bufio.Reader) bool {
	if _, err := http.ReadRequest(reader); err != nil {
		return false
	}
	_, err := connection.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright"))
	return err == nil
}

func (b loadBench) mustCount(t *testing.T, requests int64, kind errorKind, failed int64) {
	t.Helper()
	at := b.series.cells[0]
	if at.requests != requests || at.failed != failed || at.errors[kind] != failed {
		t.Errorf("%d requests, %d failed, errors %v; want %d, %d of kind %s", at.requests,
			at.failed, namedErrors(at.errors), requests, failed, errorNames[kind])
	}
}

func TestClosedLoadCountsWhatTheServiceAnswered(t *testing.T) {
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
	b := sendLoad(t.Context(), t, getParameters{URL: url, Connections: 3})
	time.Sleep(20 * time.Millisecond) // the service notes its last answers after sending them
	b.mustCount(t, answered.Load(), errorOther, 0)
	at := b.series.cells[0]
	if answered.Load() < 100 || at.inFlight.Seconds() > 3 || at.inFlight.Seconds() < 2 {
		t.Errorf("%d requests, %v in flight", at.requests, at.inFlight.Seconds())
	}
	if at.bytesReceived != answered.Load()*43 {
		t.Errorf("%d bytes of %d answers of 43", at.bytesReceived, answered.Load())
	}
	if connections.Load() != 3 {
		t.Errorf("%d connections, want 3 kept alive", connections.Load())
	}
}

func TestOpenLoadSendsExactlyItsRate(t *testing.T) {
	b := sendLoad(t.Context(), t, getParameters{URL: serve(t, right), Plan: rate(333), MaxConnections: 333})
	b.mustCount(t, 333, errorOther, 0)
	late := uint64(0)
	for _, count := range b.series.cells[0].lateness.counts {
		late += count
	}
	if late != 333 {
		t.Errorf("lateness of %d sends, want 333", late)
	}
}

func TestOpenLoadDropsWhatHasNoConnection(t *testing.T) {
	url := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		time.Sleep(200 * time.Millisecond)
		return right(connection, reader)
	})
	b := sendLoad(t.Context(), t, getParameters{URL: url, Plan: rate(100), Connections: 1, MaxConnections: 4})
	at := b.series.cells[0]
	// 4 connections × 5 answers a second; those to the last requests come after the end.
	if at.requests < 12 || at.requests > 24 || at.requests+at.dropped != 100 || at.failed != 0 {
		t.Errorf("%d requests, %d dropped, %d failed", at.requests, at.dropped, at.failed)
	}
	if b.series.dropped != at.dropped {
		t.Errorf("%d dropped in all, %d in the second", b.series.dropped, at.dropped)
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
	say := func(text string) string {
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
		kind errorKind
	}{
		"refused":      {"http://" + closed.Addr().String() + "/", errorRefused},
		"client error": {say("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), errorStatus4xx},
		"server error": {say("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"), errorStatus5xx},
		"not HTTP":     {say("anything\r\n\r\nat all\r\n\r\n"), errorOther},
		"unanswered": {serve(t, func(_ net.Conn, reader *bufio.Reader) bool {
			read(reader)
			return false
		}), errorOther},
		"reset": {serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
			read(reader)
			_ = connection.(*net.TCPConn).SetLinger(0)
			return false
		}), errorReset},
		"timeout": {serve(t, func(_ net.Conn, reader *bufio.Reader) bool {
			return read(reader)
		}), errorTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			given := getParameters{URL: test.url, Plan: rate(20), Connections: 40, TimeoutMs: 300}
			b := sendLoad(t.Context(), t, given)
			b.mustCount(t, 20, test.kind, 20)
			if latency := b.series.cells[0].latency.encode(); latency != "" {
				t.Error("failed requests are among the latencies of the successful")
			}
		})
	}
}

func TestAnswersAfterTheEndBelongToTheSecondOfSending(t *testing.T) {
	url := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		time.Sleep(700 * time.Millisecond)
		return right(connection, reader)
	})
	b := sendLoad(t.Context(), t, getParameters{URL: url, Plan: rate(10), Connections: 10})
	b.mustCount(t, 10, errorOther, 0)
	if least := b.series.cells[0].latencySum; least < 7*time.Second {
		t.Errorf("latencies add up to %v", least)
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
			b := sendLoad(t.Context(), t, getParameters{URL: url, Plan: rate(50), Connections: 2, MaxConnections: 50})
			b.mustCount(t, 50, errorOther, 0)
			b = sendLoad(t.Context(), t, getParameters{URL: url, Connections: 2})
			b.mustCount(t, b.series.requests, errorOther, 0)
		})
	}
}

func TestOneAnswerInAHundredIsChecked(t *testing.T) {
	url := serve(t, right)
	wrong, pattern := "wrong", "^(left|right)$"
	b := sendLoad(t.Context(), t, getParameters{URL: url, Plan: rate(250), BodyText: &wrong, MaxConnections: 250})
	if at := b.series.cells[0]; at.requests != 250 || at.failed != 0 || at.errors[errorCheck] < 3 {
		t.Errorf("%d requests, %d failed, errors %v", at.requests, at.failed, namedErrors(at.errors))
	}
	if entry := b.log.LastEntry(); entry == nil || entry.Level != logrus.ErrorLevel ||
		!strings.Contains(entry.Message, "status 200, body right") {
		t.Errorf("log says %v", entry)
	}
	b = sendLoad(t.Context(), t, getParameters{URL: url, Plan: rate(250), BodyPattern: &pattern, MaxConnections: 250})
	b.mustCount(t, 250, errorOther, 0)
}

func TestAStoppedLoadEndsAtOnce(t *testing.T) {
	url := serve(t, func(_ net.Conn, reader *bufio.Reader) bool {
		_, err := http.ReadRequest(reader)
		return err == nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	b := sendLoad(ctx, t, getParameters{URL: url, Connections: 3})
	if taken := time.Since(begun); taken > 500*time.Millisecond {
		t.Errorf("it went on for %v", taken)
	}
	b.mustCount(t, 0, errorOther, 0)
	if b.schedule.interrupted() != 3 {
		t.Errorf("%d interrupted, want 3", b.schedule.interrupted())
	}
}

func TestWhatCannotBeSentFromGoIsRefused(t *testing.T) {
	for expected, given := range map[string]getParameters{
		"is not http":            {URL: "https://127.0.0.1/"},
		"the service's URL":      {URL: "http://127.0.0.1:port/"},
		"a request of":           {URL: "http://127.0.0.1/" + strings.Repeat("a", maxRequestBytes)},
		"pattern of a right":     {URL: "http://127.0.0.1/", BodyPattern: text("(?=x)")},
		"got no right parameter": {URL: "http://127.0.0.1/", BodyText: text("a"), BodyPattern: text("a")},
	} {
		_, err := newGetLoad(withDefaults(given), time.Second, logrus.New())
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%q is not in %v", expected, err)
		}
	}
}

func TestAPlanIsSentStepByStep(t *testing.T) {
	steps := []planStep{{RatePerSecond: 40, Seconds: 1}, {RatePerSecond: 90, Seconds: 1}, {RatePerSecond: 20, Seconds: 1}}
	s := &schedule{seconds: 4, start: time.Now()}
	b := sendLoadBy(t.Context(), t, s, getParameters{URL: serve(t, right), Plan: steps, MaxConnections: 90})
	for second, want := range []int64{40, 90, 20, 20} {
		if got := b.series.cells[second].requests; got != want {
			t.Errorf("%d requests in second %d, want %d", got, second, want)
		}
	}
}

func TestAFinishedLoadWaitsForItsAnswersAndSendsNoMore(t *testing.T) {
	for name, plan := range map[string][]planStep{"closed": nil, "open": rate(20)} {
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
			s := &schedule{seconds: 30, start: time.Now()}
			time.AfterFunc(300*time.Millisecond, func() { s.isFinished.Store(true) })
			b := sendLoadBy(t.Context(), t, s, getParameters{URL: url, Plan: plan, Connections: 7})
			if taken := time.Since(s.start); taken < 600*time.Millisecond || taken > 1200*time.Millisecond {
				t.Errorf("it went on for %v", taken)
			}
			b.mustCount(t, asked.Load(), errorOther, 0)
			if answered.Load() != asked.Load() || asked.Load() < 6 || asked.Load() > 7 || s.interrupted() != 0 {
				t.Errorf("%d asked, %d answered, %d interrupted", asked.Load(), answered.Load(), s.interrupted())
			}
		})
	}
}

func TestSecondsAreHandedOverWhole(t *testing.T) {
	s := &schedule{seconds: 3, start: testStart}
	counted := s.newTally()
	series := newSeries(testStart, 3)
	add := func(sent, end time.Duration, isFailed bool) {
		counted.add(outcome{sent: sent, end: end, isFailed: isFailed, kind: errorReset, written: 2, received: 3})
	}
	add(900*time.Millisecond, 1100*time.Millisecond, false)
	add(1900*time.Millisecond, 2200*time.Millisecond, false)
	counted.moveTo(series)
	add(1950*time.Millisecond, 2300*time.Millisecond, true)
	counted.addDropped(2 * time.Second)
	counted.addSend(1200*time.Millisecond, 1300*time.Millisecond)
	counted.moveTo(series)
	if first := series.cells[0]; first.requests != 1 || first.bytesReceived != 3 {
		t.Errorf("first second %+v", first)
	}
	second := series.cells[1]
	if second.requests != 2 || second.failed != 1 || second.errors[errorReset] != 1 ||
		second.bytesSent != 4 || second.latencySum != 300*time.Millisecond || series.requests != 3 {
		t.Errorf("second second %+v", second)
	}
	if second.inFlight != 250*time.Millisecond || series.cells[2].inFlight != 500*time.Millisecond {
		t.Errorf("in flight %v, %v", second.inFlight, series.cells[2].inFlight)
	}
	if second.lateness.encode() == "" || series.cells[2].dropped != 1 || series.dropped != 1 {
		t.Errorf("late %+v, dropped %d, %d", second.lateness, series.cells[2].dropped, series.dropped)
	}
}

func text(given string) *string { return &given }
