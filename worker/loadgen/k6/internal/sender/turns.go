package sender

import "time"

// A load that takes turns sends in every second second only. Another load of the same machine sends in
// the seconds between, so that both meet the same changes of the machine's speed.
const (
	turn  = time.Second
	cycle = 2 * turn
)

// inTurn returns when a request is due, if it would be due at a time without turns.
func inTurn(due time.Duration) time.Duration { return due + due.Truncate(turn) }

// StartOfTurn returns when a load begins that takes turns: at the next even second of the wall clock
// for the index 0, and at the next odd one for 1. So two loads need not know of each other.
func StartOfTurn(earliest time.Time, index int) time.Time {
	own := time.Unix(0, 0).Add(time.Duration(index) * turn)
	late := earliest.Sub(own) % cycle
	return earliest.Add((cycle - late) % cycle)
}
