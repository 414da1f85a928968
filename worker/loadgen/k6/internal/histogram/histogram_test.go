package histogram

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestBucketIndexIsMonotonicAndNarrow(t *testing.T) {
	highest := map[int]uint64{} // largest value seen in a bucket
	lowest := map[int]uint64{}
	previousIndex := 0
	for value := uint64(0); value < 1<<40; value += 1 + value/1000 {
		index := bucketIndex(value)
		if index < previousIndex {
			t.Fatalf("bucket of %d is %d, below %d", value, index, previousIndex)
		}
		previousIndex = index
		if _, seen := lowest[index]; !seen {
			lowest[index] = value
		}
		highest[index] = value
	}
	for index, low := range lowest {
		middle := float64(low+highest[index]) / 2
		if err := math.Abs(middle-float64(low)) / math.Max(float64(low), 1); err > 0.004 {
			t.Errorf("bucket %d holds %d to %d: %.4f off", index, low, highest[index], err)
		}
	}
}

func TestBucketIndexOfKnownValues(t *testing.T) {
	// From the definition: v below 128 itself, else (e+1)*128 + (v>>e) - 128, e = bits - 8.
	for value, expected := range map[uint64]int{
		0: 0, 127: 127, 128: 128, 255: 255, 256: 256, 257: 256, 258: 257, 1_000_000: 1780,
	} {
		if got := bucketIndex(value); got != expected {
			t.Errorf("bucketIndex(%d) = %d, want %d", value, got, expected)
		}
	}
}

func TestEncodeGivesEveryCountBack(t *testing.T) {
	var encoded Histogram
	expected := map[int]uint64{}
	for range 10_000 {
		latency := time.Duration(rand.ExpFloat64() * 1e6)
		encoded.Add(latency)
		expected[bucketIndex(uint64(latency))]++
	}
	raw, err := base64.StdEncoding.DecodeString(encoded.Encode())
	if err != nil {
		t.Fatal(err)
	}
	index := 0
	for len(raw) > 0 {
		distance, read := binary.Uvarint(raw)
		count, more := binary.Uvarint(raw[read:])
		raw = raw[read+more:]
		index += int(distance)
		if expected[index] != count {
			t.Fatalf("bucket %d has %d, want %d", index, count, expected[index])
		}
		delete(expected, index)
	}
	if len(expected) > 0 {
		t.Errorf("%d buckets are missing", len(expected))
	}
}
