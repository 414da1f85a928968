package sender

import (
	"testing"
	"time"
)

func TestALoadWithoutACountNeverEnds(t *testing.T) {
	counter := newCounter(nil, Segment{})
	for range 3 {
		if counter.admit(time.Hour, false) != time.Hour {
			t.Fatal("a load without a count refuses a request")
		}
	}
}

func TestRequestsOfTheWarmUpDoNotCount(t *testing.T) {
	counter := newCounter(&Count{Requests: 2, FromSecond: 60}, Segment{})
	for range 5 {
		if counter.admit(time.Second, false) != time.Second {
			t.Fatal("a request of the warm-up is refused")
		}
	}
	for _, expected := range []bool{true, true, false, false} {
		if isAdmitted := counter.admit(time.Hour, false) == time.Hour; isAdmitted != expected {
			t.Errorf("admit returns %v, want %v", isAdmitted, expected)
		}
	}
}

func TestControlRequestsDoNotCount(t *testing.T) {
	counter := newCounter(&Count{Requests: 1}, Segment{})
	for _, isControl := range []bool{true, true, false} {
		if counter.admit(time.Hour, isControl) != time.Hour {
			t.Error("a control request counts")
		}
	}
	if counter.admit(time.Hour, true) == time.Hour {
		t.Error("a control request begins after the last counted request")
	}
}

func TestNoRequestBeginsRightBeforeTheFirstCountedSecond(t *testing.T) {
	counter := newCounter(&Count{Requests: 1, FromSecond: 1}, Segment{})
	if next := counter.admit(time.Second-boundaryPause/2, false); next != time.Second {
		t.Errorf("a request that may not begin before the first counted second may begin at %s", next)
	}
	if counter.admit(time.Second, false) != time.Second || counter.admit(time.Second, false) == time.Second {
		t.Error("the request that waited does not count")
	}
}

func TestLoadGeneratorsShareTheCount(t *testing.T) {
	sum := int64(0)
	for index := range 3 {
		own := newCounter(&Count{Requests: 100}, Segment{Index: index, Count: 3}).own
		if own < 33 || own > 34 {
			t.Errorf("load generator %d has %d requests", index, own)
		}
		sum += own
	}
	if sum != 100 {
		t.Errorf("all together have %d requests", sum)
	}
}
