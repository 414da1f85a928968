package schedule

import (
	"testing"
	"time"
)

func newCount(requests int64, from time.Duration, index, generators int) *Count {
	count := &Count{Requests: requests, From: from}
	count.Share(index, generators)
	return count
}

func TestALoadWithoutACountNeverEnds(t *testing.T) {
	var count Count
	count.Share(0, 1)
	for range 3 {
		if !count.Take(time.Now(), false) {
			t.Fatal("a load without a count refuses a request")
		}
	}
}

func TestRequestsOfTheWarmUpDoNotCount(t *testing.T) {
	count := newCount(2, time.Minute, 0, 1)
	for range 5 {
		if !count.Take(time.Now(), false) {
			t.Fatal("a request of the warm-up is refused")
		}
	}
	begun := time.Now().Add(-time.Hour)
	for _, expected := range []bool{true, true, false, false} {
		if taken := count.Take(begun, false); taken != expected {
			t.Errorf("Take returns %v, want %v", taken, expected)
		}
	}
}

func TestControlRequestsDoNotCount(t *testing.T) {
	count := newCount(1, 0, 0, 1)
	begun := time.Now().Add(-time.Hour)
	if !count.Take(begun, true) || !count.Take(begun, true) || !count.Take(begun, false) {
		t.Error("a control request counts")
	}
	if count.Take(begun, true) {
		t.Error("a control request begins after the last counted request")
	}
}

func TestNoRequestBeginsRightBeforeTheFirstCountedSecond(t *testing.T) {
	count := newCount(1, time.Second, 0, 1)
	start := time.Now().Add(boundaryPause/2 - time.Second)
	if !count.Take(start, false) || time.Since(start) < time.Second {
		t.Error("a request begins right before the first counted second")
	}
	if count.Take(start, false) {
		t.Error("the request that waited does not count")
	}
}

func TestLoadGeneratorsShareTheCount(t *testing.T) {
	sum := int64(0)
	for index := range 3 {
		own := newCount(100, 0, index, 3).own.Load()
		if own < 33 || own > 34 {
			t.Errorf("load generator %d has %d requests", index, own)
		}
		sum += own
	}
	if sum != 100 {
		t.Errorf("all together have %d requests", sum)
	}
}
