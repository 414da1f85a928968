package series

import (
	"testing"
	"testing/synctest"
	"time"

	"tacho/worker/loadgen/k6/internal/failure"
)

func TestATallyMovesEveryCount(t *testing.T) {
	counted := NewTally(testStart, 3)
	series := New(testStart, 3)
	add := func(sent, end time.Duration, isFailed bool) {
		counted.Add(Request{
			Due: NoDueTime, Sent: sent, End: end, IsFailed: isFailed, Kind: failure.Reset, Written: 2, Received: 3,
		})
	}
	add(900*time.Millisecond, 1100*time.Millisecond, false)
	add(1900*time.Millisecond, 2200*time.Millisecond, false)
	counted.MoveTo(series)
	add(1950*time.Millisecond, 2300*time.Millisecond, true)
	counted.AddConnection(1500 * time.Millisecond)
	counted.AddDropped(2 * time.Second)
	counted.AddSend(1200*time.Millisecond, 1300*time.Millisecond)
	counted.MoveTo(series)
	if first := series.cells[0]; first.Requests != 1 || first.BytesReceived != 3 {
		t.Errorf("first second %+v", first)
	}
	second := series.cells[1]
	if second.Requests != 2 || second.Failed != 1 || second.Connections != 1 || second.Errors[failure.Reset] != 1 ||
		second.BytesSent != 4 || second.LatencySum != 300*time.Millisecond || series.Requests != 3 {
		t.Errorf("second second %+v", second)
	}
	if second.InFlight != 250*time.Millisecond || series.cells[2].InFlight != 500*time.Millisecond {
		t.Errorf("in flight %v, %v", second.InFlight, series.cells[2].InFlight)
	}
	if second.Lateness.Encode() == "" || series.cells[2].Dropped != 1 || series.Dropped != 1 {
		t.Errorf("late %+v, dropped %d, %d", second.Lateness, series.cells[2].Dropped, series.Dropped)
	}
}

func TestTheTimeOfAScriptBelongsToTheSecondsThatItSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counted, series := NewTally(time.Now(), 4), New(time.Now(), 4)
		shares := func(second int) float64 {
			share := series.cells[second].findScriptShare()
			if share == nil {
				return -1
			}
			return *share
		}
		time.Sleep(500 * time.Millisecond)
		counted.SetScript(ScriptWorking)
		time.Sleep(250 * time.Millisecond)
		counted.SetScript(ScriptWaiting)
		time.Sleep(500 * time.Millisecond)
		counted.SetScript(ScriptWorking)
		time.Sleep(time.Second)
		counted.MoveTo(series) // while the script works
		if first, second, third := shares(0), shares(1), shares(2); first != 0.5 || second != 0.75 || third != 1 {
			t.Errorf("shares %v, %v, %v", first, second, third)
		}
		time.Sleep(250 * time.Millisecond)
		counted.SetScript(ScriptAbsent)
		time.Sleep(time.Second)
		counted.MoveTo(series)
		if work := series.cells[2].ScriptWork; work != 500*time.Millisecond || shares(3) != -1 {
			t.Errorf("work %v, share %v after the end", work, shares(3))
		}
	})
}
