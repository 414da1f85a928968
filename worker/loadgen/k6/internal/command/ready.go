package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"tacho/worker/loadgen/k6/internal/jsonlines"
)

const (
	pollInterval   = 5 * time.Millisecond
	attemptTimeout = 2 * time.Second
)

// readyLine is the time at which a service became ready. The first response is that of the
// scenario's own path. Its fields are null if it was not requested.
type readyLine struct {
	Type            string   `json:"type"`
	ReadyWallNs     int64    `json:"ready_wall_ns"`
	FirstResponseMs *float64 `json:"first_response_ms"`
	FirstStatus     *int     `json:"first_status"`
	Attempts        int      `json:"attempts"`
}

// pollingLine is the first line. A service that becomes ready after it is noticed within an
// interval.
type pollingLine struct {
	Type string `json:"type"`
}

type readyFailedLine struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// Ready polls a URL until its response has status 200, and returns the exit code. It writes a line
// at its start and a line at its end.
func Ready(arguments []string, lines *jsonlines.Writer) int {
	flags := flag.NewFlagSet("ready", flag.ContinueOnError)
	health := flags.String("url", "", "polled until its response has status 200")
	first := flags.String("first", "", "requested once after that")
	firstBody := flags.String("first-body", "", "JSON that is posted to it; default: a GET")
	timeout := flags.Duration("timeout", time.Minute, "for both URLs together")
	if err := flags.Parse(arguments); err != nil {
		return 2
	}
	if *health == "" {
		fmt.Fprintln(os.Stderr, "ready: --url is missing")
		return 2
	}
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	if err := lines.Write(pollingLine{Type: "polling"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	line, err := awaitReady(ctx, *health, *first, *firstBody)
	var written any = line
	if err != nil {
		written = readyFailedLine{Type: "ready_failed", Reason: err.Error()}
	}
	if writeErr := lines.Write(written); writeErr != nil {
		fmt.Fprintln(os.Stderr, writeErr)
		return 1
	}
	if err != nil {
		return 1
	}
	return 0
}

func awaitReady(ctx context.Context, health, first, firstBody string) (*readyLine, error) {
	line := &readyLine{Type: "ready"}
	var reason error
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		line.Attempts++
		status, err := poll(ctx, health)
		if err == nil && status == http.StatusOK {
			break
		}
		if err == nil {
			err = fmt.Errorf("the status of %s was %d", health, status)
		}
		if reason == nil || ctx.Err() == nil {
			reason = err // an earlier error is more useful than the end of the time limit
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("not ready after %d attempts: %w", line.Attempts, reason)
		case <-ticker.C:
		}
	}
	line.ReadyWallNs = time.Now().UnixNano()
	if first == "" {
		return line, nil
	}
	sent := time.Now()
	status, err := ask(ctx, first, firstBody, os.Getenv("TACHO_JWT_SECRET"))
	if err != nil {
		return nil, fmt.Errorf("ready, but no first response: %w", err)
	}
	elapsed := float64(time.Since(sent).Nanoseconds()) / 1e6
	line.FirstResponseMs, line.FirstStatus = &elapsed, &status
	return line, nil
}

// client uses no proxy and follows no redirects.
var client = http.Client{
	Transport:     &http.Transport{},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// poll makes one attempt. It fails if a service accepts the connection and then sends nothing.
func poll(ctx context.Context, url string) (int, error) {
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	return ask(attempt, url, "", "")
}

// ask reads a whole response and returns its status. A body is posted as JSON. With a secret, the
// request has a bearer token.
func ask(ctx context.Context, url, body, secret string) (int, error) {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if secret != "" {
		request.Header.Set("Authorization", "Bearer "+newToken(secret))
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, errors.Join(err, response.Body.Close())
}
