package sender

import "time"

// plan determines when the requests of an open load are due. It consists of consecutive steps of a
// constant rate. The last step lasts until the load ends.
type plan []PlanStep

// PlanStep is a constant rate for some seconds.
type PlanStep struct {
	RatePerSecond int64 `json:"ratePerSecond"`
	Seconds       int64 `json:"seconds"`
}

func (p plan) isValid() bool {
	for _, step := range p {
		if step.RatePerSecond < 1 || step.Seconds < 1 {
			return false
		}
	}
	return true
}

// timeAt returns when a number of requests is due by the plan, which may end within a request.
func (p plan) timeAt(requests float64) time.Duration {
	whole := int64(requests)
	from, to := p.dueAt(whole), p.dueAt(whole+1)
	return from + time.Duration((requests-float64(whole))*float64(to-from))
}

// dueAt returns when the k-th request is due, counted from 0. A step of whole seconds at a whole
// rate has a whole number of requests, so no request is lost or moved between two steps.
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
