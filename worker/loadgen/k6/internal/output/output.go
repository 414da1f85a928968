// Package output writes what happens in a load as JSON lines, one per second.
package output

import (
	"errors"
	"slices"
	"time"

	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"
	k6output "go.k6.io/k6/v2/output"

	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/jsonlines"
	"tacho/worker/loadgen/k6/internal/schedule"
	"tacho/worker/loadgen/k6/internal/series"
)

const flushInterval = 250 * time.Millisecond

// Output aggregates k6's samples into one line per second. It implements Output, WithBuiltinMetrics
// and WithTestRunStop of k6's package output.
type Output struct {
	k6output.SampleBuffer
	flusher  *k6output.PeriodicFlusher
	schedule *schedule.Schedule
	lines    *jsonlines.Writer
	builtin  *metrics.BuiltinMetrics
	stop     func(error)

	series  *series.Series // nil before the load has begun
	classes map[classKey]class
	trails  int64           // requests that k6 has sent
	start   time.Time       // of the load
	drops   []time.Duration // when k6 dropped iterations, in order
}

// class is how a request counts.
type class struct {
	isControl bool
	isFailed  bool
	kind      failure.Kind
}

// classKey identifies requests of the same class. k6 shares a tag set among equal samples, so the
// address of a tag set identifies its content.
type classKey struct {
	tags     *metrics.TagSet
	isFailed bool
}

type startLine struct {
	Type    string `json:"type"`
	WallNs  int64  `json:"wall_ns"`
	Seconds int    `json:"seconds"`
}

type endLine struct {
	Type        string        `json:"type"`
	Requests    int64         `json:"requests"`
	Dropped     int64         `json:"dropped"`
	Interrupted uint64        `json:"interrupted"`
	Checks      checks.Checks `json:"checks"`
	K6Summary   *k6Summary    `json:"k6_summary,omitempty"`
}

// New returns the output of the load that the script's options describe.
func New(
	params k6output.Params, schedule *schedule.Schedule, lines *jsonlines.Writer,
) (*Output, error) {
	if err := schedule.Read(params.ScriptOptions); err != nil {
		return nil, err
	}
	schedule.IsSummarised = params.Environment["TACHO_K6_SUMMARY"] == "1"
	schedule.FinishOnSignal()
	return &Output{schedule: schedule, lines: lines, classes: map[classKey]class{}}, nil
}

// Description implements k6's Output.
func (o *Output) Description() string { return "tacho: one line per second on stdout" }

// SetBuiltinMetrics implements k6's WithBuiltinMetrics.
func (o *Output) SetBuiltinMetrics(builtin *metrics.BuiltinMetrics) { o.builtin = builtin }

// SetTestRunStopCallback implements k6's WithTestRunStop.
func (o *Output) SetTestRunStopCallback(stop func(error)) { o.stop = stop }

// Start implements k6's Output.
func (o *Output) Start() error {
	flusher, err := k6output.NewPeriodicFlusher(flushInterval, func() {
		if err := o.flush(time.Now(), false); err != nil {
			o.stop(err)
		} else if o.schedule.IsDone() {
			o.stop(nil) // a run without an error succeeds
		}
	})
	o.flusher = flusher
	return err
}

// Stop implements k6's Output. It writes the remaining lines and the end line.
func (o *Output) Stop() error {
	o.flusher.Stop()
	if err := o.flush(time.Now(), true); err != nil {
		return err
	}
	end := endLine{Type: "end", Interrupted: o.schedule.CountInterrupted()}
	if o.series != nil {
		end.Requests, end.Dropped = o.series.Requests, o.series.Dropped
		end.Checks = o.series.Checks
	}
	o.schedule.Ledger.MoveTo(&end.Checks)
	if o.schedule.IsSummarised {
		summary, err := readSummary(o.builtin)
		if err != nil {
			return err
		}
		end.K6Summary = summary
	}
	return o.lines.Write(end)
}

// flush counts the samples that k6 has handed over, and writes the lines that are due at now.
func (o *Output) flush(now time.Time, isLast bool) error {
	containers := o.GetBufferedSamples()
	if o.series == nil {
		if err := o.begin(); err != nil {
			return err
		}
	}
	for _, container := range containers {
		trail, isTrail := container.(*httpext.Trail)
		if !isTrail {
			o.addSamples(container.GetSamples())
			continue
		}
		if err := o.addTrail(trail); err != nil {
			return err
		}
	}
	if o.series == nil {
		return nil
	}
	o.takeTallies(now)
	for _, line := range o.series.TakeLines(now, isLast) {
		if err := o.lines.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// begin writes the start line and creates the series once the load has begun.
func (o *Output) begin() error {
	start, found := o.schedule.FindStart()
	if !found {
		return nil
	}
	seconds := o.schedule.Seconds
	o.start = start
	o.series = series.New(start, seconds)
	return o.lines.Write(startLine{Type: "start", WallNs: start.UnixNano(), Seconds: seconds})
}

// takeTallies moves the senders' counts into the series.
func (o *Output) takeTallies(now time.Time) {
	tallies := o.schedule.Tallies()
	connections := int64(0)
	for _, tally := range tallies {
		connections += tally.MoveTo(o.series)
	}
	if len(tallies) > 0 {
		o.series.AddVUs(now, connections)
	}
}

var errNotAnnounced = errors.New("a request without tacho.begin(): send it with lib/request.js")

// addTrail counts a request from its trail, and ignores the nine samples in it.
func (o *Output) addTrail(trail *httpext.Trail) error {
	o.trails++
	if o.series == nil || o.trails > o.schedule.Begun.Load() {
		return errNotAnnounced
	}
	key := classKey{trail.Tags, trail.Failed.Bool}
	known, found := o.classes[key]
	if !found {
		known.isControl = failure.IsControl(trail.Tags)
		known.isFailed, known.kind = failure.Classify(trail.Tags, trail.Failed.Bool)
		o.classes[key] = known
	}
	timing := o.findTiming(trail, known)
	cell := o.series.AddRequest(timing, known.isControl, known.isFailed, known.kind)
	if !trail.ConnReused && trail.ConnRemoteAddr != nil {
		cell.Connections++
	}
	if o.schedule.CountsFirstBytes && !known.isFailed && !known.isControl {
		cell.FirstByte.Add(trail.EndTime.Add(-trail.Receiving).Sub(timing.Begin()))
	}
	return nil
}

// findTiming returns when a request of k6 was due, was sent and ended, and counts how late its
// iteration began.
func (o *Output) findTiming(trail *httpext.Trail, known class) series.Timing {
	duration := trail.Duration
	if known.isFailed && known.kind == failure.Timeout {
		duration = max(duration, o.schedule.Timeout)
	}
	timing := series.Timing{Sent: trail.EndTime.Add(-duration), End: trail.EndTime}
	arrival, found := schedule.FindArrival(trail.Metadata)
	if !found {
		return timing
	}
	due := o.findDue(arrival)
	timing.Due = o.start.Add(due)
	o.series.AddLateness(timing.Due, max(arrival.Begun-due, 0))
	return timing
}

// findDue returns when an iteration was due. k6 numbers only the iterations that it begins, so those
// that it has dropped before are added.
func (o *Output) findDue(arrival schedule.Arrival) time.Duration {
	dropped, _ := slices.BinarySearch(o.drops, arrival.Begun+1)
	return o.schedule.DueAt(arrival.Iteration, int64(dropped))
}

// addSamples counts samples that are not requests, each in the second of its instant.
func (o *Output) addSamples(samples []metrics.Sample) {
	if o.series == nil {
		return
	}
	for _, sample := range samples {
		switch sample.Metric {
		case o.builtin.VUs:
			if len(o.schedule.Tallies()) > 0 {
				continue // the virtual user that waits for the senders
			}
			o.series.AddVUs(sample.Time, int64(sample.Value))
		case o.builtin.DataSent:
			o.series.CellAt(sample.Time).BytesSent += int64(sample.Value)
		case o.builtin.DataReceived:
			o.series.CellAt(sample.Time).BytesReceived += int64(sample.Value)
		case o.builtin.DroppedIterations:
			o.drops = append(o.drops, sample.Time.Sub(o.start))
			o.series.AddDropped(sample.Time, int64(sample.Value))
		case o.builtin.Checks: // of a wrong response with the expected status
			o.series.CellAt(sample.Time).Errors[failure.Check]++
		}
	}
}
