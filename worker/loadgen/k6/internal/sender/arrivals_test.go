package sender

import (
	"math"
	"slices"
	"testing"
	"time"
)

// list returns when all requests of several senders are due within some seconds, in order.
func list(load *Load, segments, count int, seconds time.Duration) []time.Duration {
	var found []time.Duration
	for segment := range segments {
		for index := range count {
			made := load.newArrivals(Segment{Index: segment, Count: segments}, index, count)
			for ; made.due() < seconds*time.Second; made.advance() {
				found = append(found, made.due())
			}
		}
	}
	slices.Sort(found)
	return found
}

func loadOf(given Parameters) *Load { return &Load{given: given, plan: given.Plan} }

func TestUniformArrivalsOfAllSendersAreEvenlySpaced(t *testing.T) {
	for k, due := range list(loadOf(Parameters{Plan: rate(200)}), 2, 3, 2) {
		if want := time.Duration(k) * 5 * time.Millisecond; due != want {
			t.Fatalf("request %d is due at %v, want %v", k, due, want)
		}
	}
}

func TestPoissonArrivalsHaveExponentialDistances(t *testing.T) {
	for _, senders := range []struct{ segments, count int }{{1, 1}, {1, 3}, {2, 2}} {
		load := loadOf(Parameters{Plan: rate(1000), Poisson: true, Seed: 7})
		found := list(load, senders.segments, senders.count, 100)
		sum, squares, short := 0.0, 0.0, 0
		for k, due := range found[1:] {
			gap := (due - found[k]).Seconds() * 1000
			sum += gap
			squares += gap * gap
			if gap < 0.1 {
				short++
			}
		}
		count := float64(len(found) - 1)
		mean := sum / count
		deviation := math.Sqrt(squares/count - mean*mean)
		// 100,000 distances with mean and standard deviation 1 ms, of which 1 − exp(−0.1) are below
		// 0.1 ms. The bounds are more than six standard errors wide.
		if math.Abs(mean-1) > 0.02 || math.Abs(deviation-1) > 0.03 || math.Abs(float64(short)/count-0.0952) > 0.006 {
			t.Errorf("%+v: mean %v, standard deviation %v, %v short", senders, mean, deviation, float64(short)/count)
		}
	}
}

func TestPoissonArrivalsFollowTheRateOfEachStep(t *testing.T) {
	steps := []PlanStep{{RatePerSecond: 1000, Seconds: 20}, {RatePerSecond: 4000, Seconds: 20}}
	found := list(loadOf(Parameters{Plan: steps, Poisson: true, Seed: 3}), 1, 2, 40)
	first, _ := slices.BinarySearch(found, 20*time.Second)
	// The numbers have the standard deviations 141 and 283.
	if second := len(found) - first; math.Abs(float64(first)-20_000) > 900 || math.Abs(float64(second)-80_000) > 1800 {
		t.Errorf("%d and %d requests, want about 20,000 and 80,000", first, second)
	}
}

func TestASeedRepeatsPoissonArrivals(t *testing.T) {
	of := func(seed uint64) []time.Duration {
		return list(loadOf(Parameters{Plan: rate(100), Poisson: true, Seed: seed}), 1, 2, 10)
	}
	if !slices.Equal(of(1), of(1)) || slices.Equal(of(1), of(2)) {
		t.Error("a seed does not determine the arrivals")
	}
}
