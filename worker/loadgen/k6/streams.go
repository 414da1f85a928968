package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/modules"
)

// maxStreamBytes is how much of a stream is read at most.
const maxStreamBytes = 16 << 20

func init() { modules.Register("k6/x/lines", linesModule{}) }

// linesModule is `k6/x/lines`: it reads streams and records when each line arrived, which
// k6/http cannot. It is for verify.js. Its requests do not count as load.
type linesModule struct{}

// linesRequest is one GET.
type linesRequest struct {
	URL     string            `js:"url"`
	Headers map[string]string `js:"headers"`
}

// streamedLine is a line without its end, and when it had come in whole.
type streamedLine struct {
	Text string  `js:"text"`
	AtMs float64 `js:"atMs"`
}

// linesAnswer is what came. All times count from when the request was sent; Rest is what follows
// the last line end.
type linesAnswer struct {
	Status      int            `js:"status"`
	ContentType string         `js:"contentType"`
	Error       string         `js:"error"`
	Lines       []streamedLine `js:"lines"`
	Rest        string         `js:"rest"`
	EndMs       float64        `js:"endMs"`
}

// NewModuleInstance implements modules.Module.
func (m linesModule) NewModuleInstance(modules.VU) modules.Instance { return m }

// Exports implements modules.Instance.
func (m linesModule) Exports() modules.Exports {
	named := map[string]any{"readTogether": readTogether}
	return modules.Exports{Default: named, Named: named}
}

// readTogether sends all requests at the same time, each on a connection of its own, and
// returns the answers in their order.
func readTogether(requests []linesRequest, timeoutMs int64) []linesAnswer {
	ctx, cancel := context.WithTimeout(
		context.Background(), time.Duration(timeoutMs)*time.Millisecond)
	defer cancel()
	client := &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	answers := make([]linesAnswer, len(requests))
	var reading sync.WaitGroup
	for index, request := range requests {
		reading.Go(func() { answers[index] = readLines(ctx, client, request) })
	}
	reading.Wait()
	return answers
}

func readLines(ctx context.Context, client *http.Client, asked linesRequest) linesAnswer {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, asked.URL, nil)
	if err != nil {
		return linesAnswer{Error: err.Error()}
	}
	request.Header.Set("User-Agent", "tacho")
	for name, value := range asked.Headers {
		request.Header.Set(name, value)
	}
	sent := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return linesAnswer{Error: err.Error()}
	}
	defer response.Body.Close()
	answer := linesAnswer{
		Status:      response.StatusCode,
		ContentType: response.Header.Get("Content-Type"),
	}
	body := bufio.NewReader(io.LimitReader(response.Body, maxStreamBytes))
	for {
		text, err := body.ReadString('\n')
		answer.EndMs = sinceMs(sent)
		if err != nil {
			answer.Rest = text
			if !errors.Is(err, io.EOF) {
				answer.Error = err.Error()
			}
			return answer
		}
		answer.Lines = append(answer.Lines, streamedLine{text[:len(text)-1], answer.EndMs})
	}
}

func sinceMs(begin time.Time) float64 {
	return float64(time.Since(begin)) / float64(time.Millisecond)
}
