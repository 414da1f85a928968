package sender

import (
	"math/rand/v2"
	"time"
)

// arrivals determines when a sender's requests are due in an open load. Several senders share the
// load.
type arrivals interface {
	// due returns when the next request is due.
	due() time.Duration
	// advance continues with the request after it.
	advance()
}

// uniform arrivals have equal distances. The senders take turns.
type uniform struct {
	plan       plan
	next, step int64 // number of the next request, and the distance to the one after it
}

func (u *uniform) due() time.Duration { return u.plan.dueAt(u.next) }

func (u *uniform) advance() { u.next += u.step }

// poisson arrivals are independent of each other, as those of many users are: the distances are
// exponential. The arrivals of each sender are such a process with its share of the rate, so those of
// all senders together are one too (J. F. C. Kingman, "Poisson Processes", 1993, sections 2.2, 4.5).
type poisson struct {
	plan     plan
	random   *rand.Rand
	step     float64 // mean distance between two requests, in requests of the plan
	position float64 // of the next request, in requests of the plan
}

// newPoisson returns the arrivals of a sender. The same seed and number always give the same.
func newPoisson(plan plan, step int64, seed, number uint64) *poisson {
	made := &poisson{plan: plan, random: rand.New(rand.NewPCG(seed, number)), step: float64(step)}
	made.advance()
	return made
}

func (p *poisson) due() time.Duration { return p.plan.timeAt(p.position) }

func (p *poisson) advance() { p.position += p.random.ExpFloat64() * p.step }
