package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math/bits"
	"os"
	"slices"
	"sync"
	"time"
)

// Counts of latencies in ns, in Tacho's log-linear buckets: 128 per octave.
type histogram map[int]uint64

func (h histogram) add(latency time.Duration) {
	value := uint64(max(latency, 0))
	if value < 128 {
		h[int(value)]++
		return
	}
	octave := bits.Len64(value) - 8
	h[(octave+1)*128+int(value>>octave)-128]++
}

func (h histogram) merge(other histogram) {
	for bucket, count := range other {
		h[bucket] += count
	}
}

// encode returns the histogram in the form that Tacho stores: sorted pairs of uvarints (distance to
// the previous bucket, count), in base64.
func (h histogram) encode() string {
	var encoded []byte
	previous := 0
	for _, bucket := range slices.Sorted(maps.Keys(h)) {
		encoded = binary.AppendUvarint(encoded, uint64(bucket-previous))
		encoded = binary.AppendUvarint(encoded, h[bucket])
		previous = bucket
	}
	return base64.StdEncoding.EncodeToString(encoded)
}

// truth holds the actual values: /truth returns the totals, and the log has one line per second.
type truth struct {
	Requests uint64 `json:"requests"`
	// Latencies as drawn, and as measured from arrival to answer.
	Drawn  string `json:"drawn"`
	Waited string `json:"waited"`
	// CPU time burnt on purpose, and the CPU time of the process as the kernel counts it.
	BurntSeconds float64 `json:"burnt_seconds"`
	CPUSeconds   float64 `json:"cpu_seconds"`
}

type tally struct {
	requests      uint64
	drawn, waited histogram
	burnt         time.Duration
}

func newTally() *tally { return &tally{drawn: histogram{}, waited: histogram{}} }

func (t *tally) merge(other *tally) {
	t.requests += other.requests
	t.drawn.merge(other.drawn)
	t.waited.merge(other.waited)
	t.burnt += other.burnt
}

func (t *tally) truth(cpu time.Duration) truth {
	return truth{t.requests, t.drawn.encode(), t.waited.encode(), t.burnt.Seconds(), cpu.Seconds()}
}

type record struct {
	mutex       sync.Mutex
	total, news *tally
}

func newRecord() *record { return &record{total: newTally(), news: newTally()} }

func (r *record) add(drawn, waited, burnt time.Duration) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.news.requests++
	r.news.drawn.add(drawn)
	r.news.waited.add(waited)
	r.news.burnt += burnt
}

// takeNews returns the values since the last call.
func (r *record) takeNews() *tally {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	news := r.news
	r.total.merge(news)
	r.news = newTally()
	return news
}

func (r *record) whole() truth {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	all := newTally()
	all.merge(r.total)
	all.merge(r.news)
	return all.truth(processTime())
}

// writeLines writes a line for each second that had requests, with the CPU time of that second.
func (r *record) writeLines() {
	lines := json.NewEncoder(os.Stdout)
	before := processTime()
	for range time.Tick(time.Second) {
		news, now := r.takeNews(), processTime()
		if news.requests > 0 {
			if err := lines.Encode(news.truth(now - before)); err != nil {
				panic(err)
			}
		}
		before = now
	}
}
