package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// lineWriter writes whole lines of JSON from several goroutines.
type lineWriter struct {
	mutex  sync.Mutex
	writer io.Writer
}

func newLineWriter(writer io.Writer) *lineWriter {
	return &lineWriter{writer: writer}
}

// write puts value out as one line.
func (w *lineWriter) write(value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode a line: %w", err)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if _, err := w.writer.Write(append(encoded, '\n')); err != nil {
		return fmt.Errorf("write a line: %w", err)
	}
	return nil
}

// The lines of `--out tacho`.

type startLine struct {
	Type    string `json:"type"`
	WallNs  int64  `json:"wall_ns"`
	Seconds int    `json:"seconds"`
}

type secondLine struct {
	Type          string           `json:"type"`
	Second        int              `json:"second"`
	Requests      int64            `json:"requests"`
	Failed        int64            `json:"failed"`
	Errors        map[string]int64 `json:"errors"`
	BytesSent     int64            `json:"bytes_sent"`
	BytesReceived int64            `json:"bytes_received"`
	VUs           int64            `json:"vus"`
	InFlight      float64          `json:"in_flight"`
	Dropped       int64            `json:"dropped"`
	LatencySumNs  int64            `json:"latency_sum_ns"`
	LatencyMaxNs  int64            `json:"latency_max_ns"`
	Latency       string           `json:"latency"`
	LatencyFailed string           `json:"latency_failed"`
	Lateness      string           `json:"lateness,omitempty"`
	FirstByte     string           `json:"first_byte,omitempty"`
}

type endLine struct {
	Type        string     `json:"type"`
	Requests    int64      `json:"requests"`
	Dropped     int64      `json:"dropped"`
	Interrupted uint64     `json:"interrupted"`
	K6Summary   *k6Summary `json:"k6_summary,omitempty"`
}
