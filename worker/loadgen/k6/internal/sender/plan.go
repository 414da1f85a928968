package sender

import "time"

// plan determines when the requests of an open load are due. It consists of consecutive steps of a
// constant rate, which is 0 in a pause between two steps. The last step lasts until the load ends.
type plan []PlanStep

// PlanStep is a constant rate for some seconds.
type PlanStep struct {
	RatePerSecond int64 `json:"ratePerSecond"`
	Seconds       int64 `json:"seconds"`
}

func (p plan) isValid() bool {
	for index, step := range p {
		isPause := step.RatePerSecond == 0 && index > 0 && index < len(p)-1
		if step.RatePerSecond < 1 && !isPause || step.Seconds < 1 {
			return false
		}
	}
	return true
}

// timeAt returns when a number of requests is due by the plan, which may end within a request.
func (p plan) timeAt(requests float64) time.Duration {
	whole := int64(requests)
	due, rate := p.find(whole)
	return due + time.Duration((requests-float64(whole))*float64(time.Second)/float64(rate))
}

// dueAt returns when the k-th request is due, counted from 0.
func (p plan) dueAt(k int64) time.Duration {
	due, _ := p.find(k)
	return due
}

// find returns when the k-th request is due, counted from 0, and the rate of its step. A step of whole
// seconds at a whole rate has a whole number of requests, so no request is lost or moved between two
// steps.
func (p plan) find(k int64) (due time.Duration, ratePerSecond int64) {
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
	return time.Duration(begins*int64(time.Second) + k*int64(time.Second)/step.RatePerSecond), step.RatePerSecond
}
