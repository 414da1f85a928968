package sender

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tacho/worker/loadgen/k6/internal/check"
	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/mix"
)

// handle starts a service with a handler.
func handle(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: answer}
	t.Cleanup(func() { server.Close() })
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String()
}

func (l testLoad) mustCheck(t *testing.T, want checks.Checks) {
	t.Helper()
	got := l.checks
	got.FirstWrong = nil
	if got != want {
		t.Errorf("checks are %+v, want %+v; first wrong %+v", got, want, l.checks.FirstWrong)
	}
}

func TestEveryResponseIsChecked(t *testing.T) {
	var asked atomic.Int64
	target := handle(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 117 {
			fmt.Fprint(w, "Hello you!")
			return
		}
		fmt.Fprintf(w, "Hello %s!", r.URL.Query().Get("nonce"))
	})
	request := mix.Request{
		Path: "/hello?nonce={nonce}", Expect: check.Given{Text: text("Hello {nonce}!"), Type: "text/plain"},
	}
	load := sendLoad(t.Context(), t, Parameters{
		Target: target, Requests: []mix.Request{request}, Plan: rate(250), MaxConnections: 250,
	})
	load.mustCheck(t, checks.Checks{Sent: 250, Answered: 250, Compared: 250, Wrong: 1})
	if first := load.lines[0]; first.Requests != 250 || first.Failed != 0 || first.Errors["check"] != 1 {
		t.Errorf("%d requests, %d failed, errors %v", first.Requests, first.Failed, first.Errors)
	}
	first := load.checks.FirstWrong
	if first == nil || !strings.HasPrefix(first.Request, "GET /hello?nonce=") || first.Got != "Hello you!" ||
		first.Expected != "Hello "+first.Request[len("GET /hello?nonce="):]+"!" {
		t.Fatalf("first wrong %+v", first)
	}
	if entry := load.log.LastEntry(); entry == nil || !strings.Contains(entry.Message, first.Request) {
		t.Errorf("log has %v", entry)
	}
}

func TestEachKindOfWrongAnswerIsFound(t *testing.T) {
	body := strings.Repeat("x", 200_000)
	stream := &check.Stream{Items: 2, GapMs: 20}
	for name, test := range map[string]struct {
		expect   check.Given
		answer   http.HandlerFunc
		isFailed bool
	}{
		"no content": {
			check.Given{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, true,
		},
		"redirect": {
			check.Given{},
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", 302) }, true,
		},
		"body": {
			check.Given{Text: text("right")},
			func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "wrong") }, false,
		},
		"type": {
			check.Given{Type: "application/json"},
			func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "wrong") }, false,
		},
		"short": {
			check.Given{Bytes: &[2]int64{200_001, 250_000}},
			func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }, false,
		},
		"part": {
			check.Given{Contains: text("{nonce:5}")},
			func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }, false,
		},
		"signature": {
			check.Given{Text: text("{signature}"), Signing: &check.Signing{Key: "key", Text: "{nonce}"}},
			func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "0123456789abcdef") }, false,
		},
		"early": {
			check.Given{Stream: stream},
			func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "1\n2\n") }, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			request := mix.Request{Path: "/?nonce={nonce}", Expect: test.expect}
			load := sendLoad(t.Context(), t, Parameters{
				Target: handle(t, test.answer), Requests: []mix.Request{request}, Plan: rate(20), MaxConnections: 20,
			})
			failed := int64(0)
			if test.isFailed {
				failed = 20
			}
			first := load.lines[0]
			if first.Requests != 20 || first.Failed != failed || first.Errors["check"] != 20 {
				t.Errorf("%d requests, %d failed, errors %v", first.Requests, first.Failed, first.Errors)
			}
			if load.checks.Wrong != 20 || load.checks.Answered != 20-failed || load.checks.FirstWrong == nil {
				t.Errorf("checks %+v", load.checks)
			}
		})
	}
}

func TestStreamsAreTimedWhileTheyArrive(t *testing.T) {
	answer := func(isFlushed bool) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for item := range 10 {
				time.Sleep(20 * time.Millisecond)
				fmt.Fprintln(w, item)
				if isFlushed {
					w.(http.Flusher).Flush()
				}
			}
		}
	}
	request := mix.Request{Path: "/", Expect: check.Given{Stream: &check.Stream{Items: 10, GapMs: 20}}}
	for _, isFlushed := range []bool{true, false} {
		load := sendLoadFor(t.Context(), t, 1, new(atomic.Bool), Parameters{
			Target: handle(t, answer(isFlushed)), Requests: []mix.Request{request}, Plan: rate(10), Connections: 10,
		}, Run{CountsFirstBytes: true})
		first := load.checks
		if first.Sent != 10 || first.Wrong != 0 || first.Bunched < 10 != isFlushed {
			t.Errorf("flushed %v: %+v", isFlushed, first)
		}
		if count := countEncoded(t, load.lines[0].FirstByte); count != 10 {
			t.Errorf("first bytes of %d responses", count)
		}
	}
}

func TestControlRequestsHaveNoLatency(t *testing.T) {
	share := 0.5
	requests := []mix.Request{
		expectRight(),
		{Path: "/{nonce}", IsControl: true, Share: &share, Expect: check.Given{Status: &check.StatusRange{404, 404}}},
	}
	for name, test := range map[string]struct {
		status       int // for control requests
		wrong        int64
		areFailed    bool
		kindOfFailed failure.Kind
	}{
		"refused":    {404, 0, false, failure.Other},
		"accepted":   {200, 1, true, failure.Check},
		"forbidden":  {403, 1, true, failure.Check},
		"overloaded": {503, 0, true, failure.Status5xx},
	} {
		t.Run(name, func(t *testing.T) {
			target := handle(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/" {
					w.WriteHeader(test.status)
				}
				fmt.Fprint(w, "right")
			})
			load := sendLoad(t.Context(), t, Parameters{
				Target: target, Requests: requests, Plan: rate(200), MaxConnections: 200,
			})
			c, first := load.checks, load.lines[0]
			if c.Sent+c.Controls != 200 || c.Controls < 60 || c.Sent < 60 || c.Wrong != 0 ||
				c.ControlsWrong != test.wrong*c.Controls {
				t.Errorf("checks %+v", c)
			}
			failed := int64(0)
			if test.areFailed {
				failed = c.Controls
			}
			if first.Requests != 200 || first.Failed != failed ||
				first.Errors[test.kindOfFailed.String()] != failed {
				t.Errorf("%d failed, errors %v", first.Failed, first.Errors)
			}
			if count := countEncoded(t, first.Latency); count != uint64(c.Sent) || first.LatencyFailed != "" {
				t.Errorf("%d latencies of %d requests, failed %q", count, c.Sent, first.LatencyFailed)
			}
		})
	}
}

func TestLongRequestsAreSentInParts(t *testing.T) {
	long := strings.Repeat("0123456789", 100_000)
	var received atomic.Int64
	target := handle(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond) // the connection's buffers fill
		body, _ := io.ReadAll(r.Body)
		nonce := r.URL.Query().Get("nonce")
		if string(body) == "<"+nonce+long+">" {
			received.Add(1)
		}
		fmt.Fprint(w, nonce)
	})
	request := mix.Request{
		Method: "POST", Path: "/?nonce={nonce}", Body: text("<{nonce}" + long + ">"),
		Expect: check.Given{Text: text("{nonce}")},
	}
	load := sendLoad(t.Context(), t, Parameters{
		Target: target, Requests: []mix.Request{request}, Plan: rate(20), MaxConnections: 20,
	})
	load.mustCheck(t, checks.Checks{Sent: 20, Answered: 20, Compared: 20})
	if received.Load() != 20 || load.lines[0].BytesSent < 20*1_000_018 {
		t.Errorf("%d bodies are right, %d bytes", received.Load(), load.lines[0].BytesSent)
	}
}

func TestALongRequestMayBeRefusedBeforeItsEnd(t *testing.T) {
	target := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		if _, err := http.ReadRequest(reader); err != nil {
			return false
		}
		_, _ = connection.Write([]byte("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n"))
		time.Sleep(50 * time.Millisecond)
		return false // the rest of the body is unread, which resets the connection
	})
	request := mix.Request{
		Method: "POST", Path: "/", Body: text(strings.Repeat("x", 8_000_000)), IsControl: true,
		Expect: check.Given{Status: &check.StatusRange{400, 499}},
	}
	load := sendLoad(t.Context(), t, Parameters{
		Target: target, Requests: []mix.Request{request}, Plan: rate(10), MaxConnections: 10,
	})
	load.mustCheck(t, checks.Checks{Controls: 10})
	load.mustCount(t, 10, failure.Other, 0)
}

func TestRequestsSentAgainAreCounted(t *testing.T) {
	target := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		if right(connection, reader) {
			_, _ = http.ReadRequest(reader)
		}
		return false
	})
	load := sendLoad(t.Context(), t, Parameters{Target: target, Plan: rate(50), Connections: 1})
	if c := load.checks; c.Sent < 2 || c.Answered != c.Sent || c.Resent < c.Sent/2 || c.Wrong != 0 {
		t.Errorf("checks %+v", c)
	}
}

func TestOnlyIdempotentRequestsAreSentAgain(t *testing.T) {
	// The service reads each second request of a connection and closes it without a response.
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "DELETE", "PATCH"} {
		t.Run(method, func(t *testing.T) {
			var received atomic.Int64
			target := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
				if _, err := http.ReadRequest(reader); err != nil {
					return false
				}
				received.Add(1)
				_, _ = connection.Write([]byte("HTTP/1.1 204 No Content\r\n\r\n"))
				if _, err := http.ReadRequest(reader); err == nil {
					received.Add(1)
				}
				return false
			})
			request := mix.Request{Method: method, Path: "/", Expect: check.Given{Status: &check.StatusRange{204, 204}}}
			load := sendLoad(t.Context(), t, Parameters{
				Target: target, Plan: rate(40), Requests: []mix.Request{request},
			})
			time.Sleep(20 * time.Millisecond)
			isIdempotent := method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "TRACE"
			c, failed := load.checks, load.lines[0].Failed
			if c.Sent == 0 || received.Load() != c.Sent+c.Resent {
				t.Errorf("%d sent, %d sent again, the service received %d", c.Sent, c.Resent, received.Load())
			}
			if isIdempotent && (c.Resent == 0 || failed > 0) || !isIdempotent && (c.Resent > 0 || failed == 0) {
				t.Errorf("%d sent again, %d failed", c.Resent, failed)
			}
		})
	}
}

func TestBytesWithoutARequestAreWrong(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright"
	for name, test := range map[string]struct {
		unasked string
		pause   time.Duration
		wrong   bool
	}{
		"with the response": {answer, 0, true},
		"later":             {answer, 20 * time.Millisecond, true},
		"end of an idle connection": {
			"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n", 20 * time.Millisecond, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
				if _, err := http.ReadRequest(reader); err != nil {
					return false
				}
				if test.pause == 0 {
					_, _ = connection.Write([]byte(answer + test.unasked))
					return true
				}
				_, _ = connection.Write([]byte(answer))
				time.Sleep(test.pause)
				_, err := connection.Write([]byte(test.unasked))
				return err == nil
			})
			load := sendLoad(t.Context(), t, Parameters{Target: target, Connections: 1, PauseMs: 50})
			if c := load.checks; (c.Wrong > 0) != test.wrong || c.Answered == 0 {
				t.Errorf("checks %+v", c)
			}
		})
	}
}

func TestResponsesCutOffAreFailuresAndNotWrong(t *testing.T) {
	target := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		if _, err := http.ReadRequest(reader); err == nil {
			_, _ = connection.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nri"))
		}
		return false
	})
	load := sendLoad(t.Context(), t, Parameters{Target: target, Plan: rate(20), MaxConnections: 20})
	load.mustCheck(t, checks.Checks{Sent: 20})
	load.mustCount(t, 20, failure.Other, 20)
}

func TestSamplesArePassedWhole(t *testing.T) {
	body := strings.Repeat("x", 150_000)
	target := handle(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			_, _ = io.Copy(w, r.Body)
		}
		fmt.Fprint(w, body)
	})
	requests := []mix.Request{
		{Path: "/{nonce}?{integer}"},
		{Method: "POST", Path: "/", Body: text("{nonce:3}")},
	}
	samples := make(chan Sample, 500)
	load := sendLoadFor(t.Context(), t, 1, new(atomic.Bool), Parameters{
		Target: target, Requests: requests, Plan: rate(200), MaxConnections: 200, SampleShare: 0.5,
	}, Run{Samples: samples})
	close(samples)
	if count := len(samples); count < 60 || count > 140 || load.checks.Answered != 200 {
		t.Errorf("%d samples of %+v", count, load.checks)
	}
	methods := map[string]int{}
	for sample := range samples {
		methods[sample.Method]++
		want, path := body, fmt.Sprintf("/%s?%d", sample.Nonce, sample.Integer)
		if sample.Method == "POST" {
			want, path = sample.Nonce[:3]+body, "/"
		}
		if sample.Path != path || sample.Status != 200 || string(sample.Body) != want || sample.IsCounted {
			t.Errorf("%s %s, %d bytes", sample.Method, sample.Path, len(sample.Body))
		}
	}
	if len(methods) != 2 {
		t.Errorf("samples of %v", methods)
	}
}

func TestAFullQueueOfSamplesStopsNoRequest(t *testing.T) {
	samples := make(chan Sample, 2)
	load := sendLoadFor(t.Context(), t, 1, new(atomic.Bool), Parameters{
		Target: serve(t, right), Plan: rate(100), MaxConnections: 100, SampleShare: 1,
	}, Run{Samples: samples})
	load.mustCount(t, 100, failure.Other, 0)
	if len(samples) != 2 {
		t.Errorf("%d samples", len(samples))
	}
}

func TestUsersPauseAndArriveAtRandomTimes(t *testing.T) {
	var mutex sync.Mutex
	arrived := map[int]int{} // first requests by tenth of a second
	begun := time.Now()
	var asked atomic.Int64
	target := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		mutex.Lock()
		arrived[int(time.Since(begun)/(100*time.Millisecond))]++
		mutex.Unlock()
		for right(connection, reader) {
			asked.Add(1)
		}
		return false
	})
	load := sendLoadFor(t.Context(), t, 2, new(atomic.Bool), Parameters{
		Target: target, Connections: 40, PauseMs: 500, ArriveMs: 500,
	}, Run{})
	if sum := load.lines[0].Requests + load.lines[1].Requests; sum < 120 || sum > 160 || sum != asked.Load() {
		t.Errorf("%d requests of 40 users in 2 s with pauses of 0.5 s", sum)
	}
	if len(arrived) < 4 {
		t.Errorf("users arrived in the tenths %v", arrived)
	}
	if load.interrupted != 0 || load.lines[0].Connections != 40 {
		t.Errorf("%d interrupted, %d connections", load.interrupted, load.lines[0].Connections)
	}
}

func TestPausingUsersDoNotDelayTheEnd(t *testing.T) {
	var isFinished atomic.Bool
	time.AfterFunc(200*time.Millisecond, func() { isFinished.Store(true) })
	load := sendLoadFor(t.Context(), t, 30, &isFinished, Parameters{
		Target: serve(t, right), Connections: 5, PauseMs: 10_000,
	}, Run{})
	load.mustCount(t, 5, failure.Other, 0)
	if taken := time.Since(load.start); taken > time.Second {
		t.Errorf("it went on for %v", taken)
	}
}

func TestNoncesOfALoad(t *testing.T) {
	var mutex sync.Mutex
	asked := map[string]int{}
	target := serve(t, func(connection net.Conn, reader *bufio.Reader) bool {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return false
		}
		mutex.Lock()
		asked[request.URL.Path]++
		mutex.Unlock()
		_, err = connection.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright"))
		return err == nil
	})
	request := expectRight()
	request.Path = "/{nonce}"
	load := sendLoad(context.Background(), t, Parameters{
		Target: target, Requests: []mix.Request{request}, Plan: rate(2000), Connections: 100, MaxConnections: 500,
	})
	repeated := load.checks.Sent - int64(len(asked))
	if repeated < load.checks.Sent/300 || repeated > load.checks.Sent/40 {
		t.Errorf("%d of %d nonces are repeated", repeated, load.checks.Sent)
	}
}
