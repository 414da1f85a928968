package sender

import (
	"testing"
	"time"
)

func TestRequestsOfALoadInTurnsAreDueInEverySecondSecond(t *testing.T) {
	for due, want := range map[time.Duration]time.Duration{
		0:                       0,
		999 * time.Millisecond:  999 * time.Millisecond,
		time.Second:             2 * time.Second,
		2500 * time.Millisecond: 4500 * time.Millisecond,
	} {
		if got := inTurn(due); got != want {
			t.Errorf("a request due at %v is sent at %v, not %v", due, got, want)
		}
	}
}

func TestTwoLoadsInTurnsBeginASecondApart(t *testing.T) {
	for _, fraction := range []time.Duration{0, 1, 700 * time.Millisecond} {
		for second := range int64(4) {
			earliest := time.Unix(1_000_000_000+second, int64(fraction))
			for index := range 2 {
				start := StartOfTurn(earliest, index)
				if start.Nanosecond() != 0 || start.Unix()%2 != int64(index) {
					t.Errorf("load %d begins at %v", index, start)
				}
				if wait := start.Sub(earliest); wait < 0 || wait >= 2*time.Second {
					t.Errorf("load %d waits %v", index, wait)
				}
			}
		}
	}
}
