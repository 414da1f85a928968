package streams

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

const streamGap = 50 * time.Millisecond

// sendStream responds with two lines, a gap apart, and an incomplete line, flushed or all at the end.
func sendStream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", r.Header.Get("Accept"))
	for count := range 2 {
		fmt.Fprintf(w, "%s %d\n", r.URL.Path, count)
		if r.URL.Query().Has("flush") {
			w.(http.Flusher).Flush()
		}
		time.Sleep(streamGap)
	}
	fmt.Fprint(w, "rest")
}

func TestReadTogetherReportsWhenLinesArrive(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(sendStream))
	defer server.Close()
	accept := map[string]string{"Accept": "application/octet-stream"}
	begin := time.Now()
	answers := readTogether([]request{
		{URL: server.URL + "/one?flush", Headers: accept},
		{URL: server.URL + "/two", Headers: accept},
	}, 5000)
	if elapsed := time.Since(begin); elapsed > 4*streamGap {
		t.Errorf("two answers of %v took %v: not read at the same time", 2*streamGap, elapsed)
	}
	for index, path := range []string{"/one", "/two"} {
		answer := answers[index]
		if answer.Status != 200 || answer.ContentType != "application/octet-stream" {
			t.Errorf("%s: got %+v", path, answer)
		}
		if len(answer.Lines) != 2 || answer.Lines[1].Text != path+" 1" || answer.Rest != "rest" {
			t.Fatalf("%s: got %+v", path, answer)
		}
	}
	gapMs := float64(streamGap) / float64(time.Millisecond)
	flushed, buffered := answers[0].Lines, answers[1].Lines
	if apart := flushed[1].AtMs - flushed[0].AtMs; apart < gapMs/2 {
		t.Errorf("flushed lines came %.1f ms apart", apart)
	}
	if apart := buffered[1].AtMs - buffered[0].AtMs; apart > gapMs/2 {
		t.Errorf("lines sent at once came %.1f ms apart", apart)
	}
}

func TestReadTogetherReportsABrokenStream(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "whole\nhal")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	answer := readTogether([]request{{URL: server.URL}}, 5000)[0]
	if answer.Error == "" || len(answer.Lines) != 1 || answer.Rest != "hal" {
		t.Errorf("got %+v", answer)
	}
}

func TestReadTogetherReportsAServerThatDoesNotRespond(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	if answer := readTogether([]request{{URL: server.URL}}, 5000)[0]; answer.Error == "" {
		t.Errorf("got %+v", answer)
	}
}
