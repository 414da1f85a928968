// Package streams is the JavaScript module `k6/x/lines`, which reads streamed responses.
package streams

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

// maxStreamBytes is the maximum that is read of a stream.
const maxStreamBytes = 16 << 20

// Module is `k6/x/lines`. It reads streams and records when each line arrived, which k6/http cannot
// do. verify.js uses it. Its requests do not count as load.
type Module struct{}

// request is a GET.
type request struct {
	URL     string            `js:"url"`
	Headers map[string]string `js:"headers"`
}

// line is a line without its line end, and when it was complete.
type line struct {
	Text string  `js:"text"`
	AtMs float64 `js:"atMs"`
}

// response is the part of a response that arrived. Times count from when the request was sent. Rest is
// the text after the last line end.
type response struct {
	Status      int     `js:"status"`
	ContentType string  `js:"contentType"`
	Error       string  `js:"error"`
	Lines       []line  `js:"lines"`
	Rest        string  `js:"rest"`
	EndMs       float64 `js:"endMs"`
}

// NewModuleInstance implements modules.Module.
func (m Module) NewModuleInstance(modules.VU) modules.Instance { return m }

// Exports implements modules.Instance.
func (m Module) Exports() modules.Exports {
	named := map[string]any{"readTogether": readTogether}
	return modules.Exports{Default: named, Named: named}
}

// readTogether sends all requests at the same time, each on its own connection, and returns the
// responses in the order of the requests.
func readTogether(requests []request, timeoutMs int64) []response {
	ctx, cancel := context.WithTimeout(
		context.Background(), time.Duration(timeoutMs)*time.Millisecond)
	defer cancel()
	client := &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	responses := make([]response, len(requests))
	var reading sync.WaitGroup
	for index, request := range requests {
		reading.Go(func() { responses[index] = readLines(ctx, client, request) })
	}
	reading.Wait()
	return responses
}

func readLines(ctx context.Context, client *http.Client, given request) response {
	outgoing, err := http.NewRequestWithContext(ctx, http.MethodGet, given.URL, nil)
	if err != nil {
		return response{Error: err.Error()}
	}
	outgoing.Header.Set("User-Agent", "tacho")
	for name, value := range given.Headers {
		outgoing.Header.Set(name, value)
	}
	sent := time.Now()
	incoming, err := client.Do(outgoing)
	if err != nil {
		return response{Error: err.Error()}
	}
	defer incoming.Body.Close()
	result := response{
		Status:      incoming.StatusCode,
		ContentType: incoming.Header.Get("Content-Type"),
	}
	body := bufio.NewReader(io.LimitReader(incoming.Body, maxStreamBytes))
	for {
		text, err := body.ReadString('\n')
		result.EndMs = sinceMs(sent)
		if err != nil {
			result.Rest = text
			if !errors.Is(err, io.EOF) {
				result.Error = err.Error()
			}
			return result
		}
		result.Lines = append(result.Lines, line{text[:len(text)-1], result.EndMs})
	}
}

func sinceMs(begin time.Time) float64 {
	return float64(time.Since(begin)) / float64(time.Millisecond)
}
