package main

import "time"

// plan is when the requests of an open load are due: steps of a constant rate, one right after
// the other. The last one goes on until the load ends.
type plan []planStep

type planStep struct {
	RatePerSecond int64 `json:"ratePerSecond"`
	Seconds       int64 `json:"seconds"`
}

func (p plan) isRight() bool {
	for _, step := range p {
		if step.RatePerSecond < 1 || step.Seconds < 1 {
			return false
		}
	}
	return true
}

// dueAt is when the k-th request is due, counted from 0. A step of whole seconds at a whole
// rate holds a whole number of requests, so none is lost or moved where two steps meet.
func (p plan) dueAt(k int64) time.Duration {
	step, begins := p[0], int64(0)
	for _, next := range p[1:] {
		count := step.RatePerSecond * step.Seconds
		if k < count {
			break
		}
		k -= count
		begins += step.Seconds
		step = next
	}
	return time.Duration(begins*int64(time.Second) + k*int64(time.Second)/step.RatePerSecond)
}
