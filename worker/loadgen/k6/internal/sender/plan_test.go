package sender

import (
	"testing"
	"time"
)

func TestEachSecondOfAPlanHoldsExactlyItsRate(t *testing.T) {
	p := plan{{RatePerSecond: 7, Seconds: 2}, {RatePerSecond: 333, Seconds: 1}, {RatePerSecond: 50, Seconds: 1}}
	counts := make([]int, 6)
	last := time.Duration(-1)
	for k := int64(0); ; k++ {
		due := p.dueAt(k)
		if due <= last {
			t.Fatalf("request %d is due at %v, the one before at %v", k, due, last)
		}
		if due >= 6*time.Second {
			break
		}
		last = due
		counts[due/time.Second]++
	}
	for second, want := range []int{7, 7, 333, 50, 50, 50} {
		if counts[second] != want {
			t.Errorf("second %d holds %d requests, want %d", second, counts[second], want)
		}
	}
	for k, want := range map[int64]time.Duration{14: 2 * time.Second, 347: 3 * time.Second} {
		if due := p.dueAt(k); due != want {
			t.Errorf("the first request of a step is due at %v, want %v", due, want)
		}
	}
}

func TestNothingIsDueInAPause(t *testing.T) {
	p := plan{{RatePerSecond: 7, Seconds: 2}, {RatePerSecond: 0, Seconds: 3}, {RatePerSecond: 10, Seconds: 1}}
	if !p.isValid() {
		t.Fatal("the plan is not valid")
	}
	if due := p.dueAt(14); due != 5*time.Second {
		t.Errorf("the first request after the pause is due at %v, want 5s", due)
	}
	random := newPoisson(p, 1, 1, 1)
	for due := random.due(); due < 6*time.Second; due = random.due() {
		if due >= 2*time.Second && due < 5*time.Second {
			t.Errorf("a request is due at %v, in the pause", due)
		}
		random.advance()
	}
}

func TestAPlanNeitherBeginsNorEndsWithAPause(t *testing.T) {
	step, pause := PlanStep{RatePerSecond: 7, Seconds: 2}, PlanStep{RatePerSecond: 0, Seconds: 3}
	for _, p := range []plan{{pause, step}, {step, pause}, {pause}} {
		if p.isValid() {
			t.Errorf("%v is valid", p)
		}
	}
}
