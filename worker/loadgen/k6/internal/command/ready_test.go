package command

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tacho/worker/loadgen/k6/internal/jsonlines"
)

func callReady(t *testing.T, arguments ...string) (int, map[string]any) {
	t.Helper()
	var stdout bytes.Buffer
	code := Ready(arguments, jsonlines.NewWriter(&stdout))
	polling, rest, _ := strings.Cut(stdout.String(), "\n")
	if polling != `{"type":"polling"}` {
		t.Errorf("first line %q, want polling", polling)
	}
	line := map[string]any{}
	if err := json.Unmarshal([]byte(rest), &line); err != nil {
		t.Fatalf("%v in %q", err, stdout.String())
	}
	return code, line
}

func TestReadyWaitsForHealthThenAsksOnce(t *testing.T) {
	var healthCalls, firstCalls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" {
			if healthCalls.Add(1) < 5 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return
		}
		firstCalls.Add(1)
		time.Sleep(30 * time.Millisecond)
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	before := time.Now().UnixNano()
	code, line := callReady(t, "--url", server.URL+"/health", "--first", server.URL+"/hello")
	if code != 0 || line["type"] != "ready" || line["attempts"] != 5.0 {
		t.Fatalf("exit code %d, line %v, want ready at attempt 5", code, line)
	}
	if line["first_status"] != 418.0 || line["first_response_ms"].(float64) < 30 {
		t.Errorf("first response %v, want 418 after 30 ms or more", line)
	}
	if firstCalls.Load() != 1 {
		t.Errorf("asked %d times for the first response", firstCalls.Load())
	}
	if readyNs := int64(line["ready_wall_ns"].(float64)); readyNs < before {
		t.Errorf("ready %d ns before the call", before-readyNs)
	}
}

func TestReadyPostsAFirstBody(t *testing.T) {
	got := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chain" {
			body, _ := io.ReadAll(r.Body)
			got <- r.Method + " " + r.Header.Get("Content-Type") + " " + string(body)
		}
	}))
	defer server.Close()
	code, line := callReady(t, "--url", server.URL+"/health", "--first", server.URL+"/chain",
		"--first-body", `{"number":7}`)
	if code != 0 || line["first_status"] != 200.0 {
		t.Fatalf("exit code %d, line %v, want a first response of 200", code, line)
	}
	if sent := <-got; sent != `POST application/json {"number":7}` {
		t.Errorf("sent %q", sent)
	}
}

func TestReadyReportsWhyTheServiceIsNotReady(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	code, line := callReady(t, "--url", "http://"+address+"/health", "--timeout", "100ms")
	if code != 1 || line["type"] != "ready_failed" {
		t.Fatalf("exit code %d, line %v", code, line)
	}
	if reason := line["reason"].(string); !strings.Contains(reason, "connection refused") {
		t.Errorf("reason %q does not report a refused connection", reason)
	}
}
