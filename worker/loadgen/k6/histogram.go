package main

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"time"
)

const bucketsPerOctave = 128

// histogram counts latencies in log-linear buckets, 128 an octave: a bucket is at most
// 1/128 of its value wide, so its middle is at most 0.4 % off.
type histogram struct {
	counts []uint64
}

// bucketIndex is the bucket of a value in nanoseconds; below 128 each has its own.
func bucketIndex(value uint64) int {
	if value < bucketsPerOctave {
		return int(value)
	}
	exponent := bits.Len64(value) - 8
	return (exponent+1)*bucketsPerOctave + int(value>>exponent) - bucketsPerOctave
}

func (h *histogram) add(latency time.Duration) {
	index := bucketIndex(uint64(max(latency, 0)))
	h.growTo(index)
	h.counts[index]++
}

// growTo makes room for a bucket.
func (h *histogram) growTo(index int) {
	if index >= len(h.counts) {
		// To the end of the octave, so that a growing maximum does not copy each time.
		grown := make([]uint64, (index/bucketsPerOctave+1)*bucketsPerOctave)
		copy(grown, h.counts)
		h.counts = grown
	}
}

// take moves the counts of another histogram into this one.
func (h *histogram) take(other *histogram) {
	h.growTo(len(other.counts) - 1)
	for index, count := range other.counts {
		h.counts[index] += count
	}
	other.counts = nil
}

// encode gives the non-empty buckets in order, as pairs of uvarints (distance from the
// previous bucket, the first from 0; count), in standard base64.
func (h *histogram) encode() string {
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
