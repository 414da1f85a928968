package main

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// One request in each block of this many comes from each of so many equally likely strata, in
// random order: the sample's own quantiles then lie within a rank or two of the distribution's,
// where independent draws would need a hundred times as many requests for the same p99.9.
const strata = 1000

// A mixture of two lognormal latencies; some requests also stall.
type distribution struct {
	median, secondMedian time.Duration
	sigma                float64 // standard deviation of the logarithm
	secondShare          float64
	stallsPerBlock       int
	stall                time.Duration
}

// at returns the latency without stalls for a point in (0, 1). Points below 1 − secondShare belong
// to the first mode. Points that are spread evenly over (0, 1) give the mixture.
func (d *distribution) at(point float64) time.Duration {
	median, share := d.median, 1-d.secondShare
	if point >= share {
		median, point, share = d.secondMedian, point-share, d.secondShare
	}
	z := math.Sqrt2 * math.Erfinv(2*point/share-1)
	z = min(max(z, -6), 6)
	return time.Duration(float64(median) * math.Exp(d.sigma*z))
}

// Draws of a distribution, stratified in blocks.
type source struct {
	distribution
	mutex   sync.Mutex
	strata  []int
	stalled []int
	next    int
}

func newSource(d distribution) *source { return &source{distribution: d} }

func (s *source) draw() time.Duration {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.next == len(s.strata) {
		s.strata, s.stalled, s.next = rand.Perm(strata), rand.Perm(strata), 0
	}
	latency := s.at((float64(s.strata[s.next]) + rand.Float64()) / strata)
	if s.stalled[s.next] < s.stallsPerBlock {
		latency += s.stall
	}
	s.next++
	return latency
}
