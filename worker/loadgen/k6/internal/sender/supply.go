package sender

import (
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"tacho/worker/loadgen/k6/internal/mix"
)

const (
	// MostAhead is how many requests a script draws at most before they are sent.
	MostAhead = 128

	mostBytesAhead = 8 << 20 // of the values that it draws
)

// Supply passes requests from the script that draws them to the senders.
//
// The script draws no further ahead than the senders need. At first it draws one request, and twice
// as many each time when a sender finds none.
type Supply struct {
	Wanted chan struct{} // receives when the script is to draw

	mutex   sync.Mutex
	drawn   []mix.Drawn // in the order of drawing
	bytes   int         // of their values
	ahead   int
	starved []int // eventfds of the senders that wait for a request
}

// NewSupply returns a supply that is empty.
func NewSupply() *Supply { return &Supply{Wanted: make(chan struct{}, 1), ahead: 1} }

// Add passes requests to the senders, and wakes those that wait for one.
func (s *Supply) Add(drawn []mix.Drawn) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, request := range drawn {
		s.bytes += countBytes(request)
	}
	s.drawn = append(s.drawn, drawn...)
	for _, fd := range s.starved {
		one := uint64(1)
		_, _ = writeNow(fd, unsafe.Slice((*byte)(unsafe.Pointer(&one)), 8))
	}
	s.starved = s.starved[:0]
}

// Missing returns how many more requests the script should draw.
func (s *Supply) Missing() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.bytes >= mostBytesAhead {
		return 0
	}
	return max(s.ahead-len(s.drawn), 0)
}

// take returns the next request. If there is none, it returns false, and the eventfd becomes readable
// when there is one.
func (s *Supply) take(wake int) (mix.Drawn, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	defer s.ask()
	if len(s.drawn) == 0 {
		if !slices.Contains(s.starved, wake) {
			s.starved = append(s.starved, wake)
			s.ahead = min(2*s.ahead, MostAhead)
		}
		return mix.Drawn{}, false
	}
	taken := s.drawn[0]
	s.drawn[0] = mix.Drawn{} // frees its values
	if s.drawn = s.drawn[1:]; len(s.drawn) == 0 {
		s.drawn = nil
	}
	s.bytes -= countBytes(taken)
	return taken, true
}

// ask makes the script draw once half of the requests are taken.
func (s *Supply) ask() {
	if len(s.drawn) > s.ahead/2 {
		return
	}
	select {
	case s.Wanted <- struct{}{}:
	default: // it is asked already
	}
}

// forget makes the supply no longer use an eventfd.
func (s *Supply) forget(wake int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.starved = slices.DeleteFunc(s.starved, func(fd int) bool { return fd == wake })
}

func countBytes(drawn mix.Drawn) int {
	sum := 0
	for _, value := range drawn.Values {
		sum += len(value)
	}
	return sum
}

// newWake returns an eventfd.
func newWake() (int, error) { return unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC) }
