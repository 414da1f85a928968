// Package histogram counts latencies in log-linear buckets.
package histogram

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"time"
)

const bucketsPerOctave = 128

// Histogram counts latencies in log-linear buckets, 128 per octave. A bucket's width is at most
// 1/128 of its value, so the error of its middle is at most 0.4 %.
type Histogram struct {
	counts []uint64
}

// bucketIndex returns the bucket of a value in nanoseconds. Each value below 128 has its own.
func bucketIndex(value uint64) int {
	if value < bucketsPerOctave {
		return int(value)
	}
	exponent := bits.Len64(value) - 8
	return (exponent+1)*bucketsPerOctave + int(value>>exponent) - bucketsPerOctave
}

// Add counts a latency.
func (h *Histogram) Add(latency time.Duration) {
	index := bucketIndex(uint64(max(latency, 0)))
	h.growTo(index)
	h.counts[index]++
}

// growTo allocates buckets up to an index.
func (h *Histogram) growTo(index int) {
	if index >= len(h.counts) {
		// To the end of the octave, so that a growing maximum does not copy each time.
		grown := make([]uint64, (index/bucketsPerOctave+1)*bucketsPerOctave)
		copy(grown, h.counts)
		h.counts = grown
	}
}

// Take moves the counts of another histogram into this one.
func (h *Histogram) Take(other *Histogram) {
	h.growTo(len(other.counts) - 1)
	for index, count := range other.counts {
		h.counts[index] += count
	}
	other.counts = nil
}

// Encode returns the non-empty buckets in order, as pairs of uvarints in standard base64. The first
// number of a pair is the distance from the previous bucket (at first from 0), the second the count.
func (h *Histogram) Encode() string {
	var encoded []byte
	previous := 0
	for index, count := range h.counts {
		if count == 0 {
			continue
		}
		encoded = binary.AppendUvarint(encoded, uint64(index-previous))
		encoded = binary.AppendUvarint(encoded, count)
		previous = index
	}
	return base64.StdEncoding.EncodeToString(encoded)
}
