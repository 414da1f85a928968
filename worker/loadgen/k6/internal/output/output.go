// Package output writes what happens in a load as JSON lines, one per second.
package output

import (
	"errors"
	"time"

	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"
	k6output "go.k6.io/k6/v2/output"

	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/jsonlines"
	"tacho/worker/loadgen/k6/internal/schedule"
	"tacho/worker/loadgen/k6/internal/series"
)

const flushInterval = 250 * time.Millisecond

// Output writes the counts of the senders, one line per second. It implements Output, WithBuiltinMetrics
// and WithTestRunStop of k6's package output.
type Output struct {
	k6output.SampleBuffer
	flusher  *k6output.PeriodicFlusher
	schedule *schedule.Schedule
	lines    *jsonlines.Writer
	builtin  *metrics.BuiltinMetrics
	stop     func(error)

	series *series.Series // nil before the load has begun
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
	Script      *scriptReport `json:"script,omitempty"`
}

// New returns the output of a load: a ScriptOutput if the script sends the requests itself, else an
// Output for the load that the script's options describe.
func New(
	params k6output.Params, schedule *schedule.Schedule, lines *jsonlines.Writer,
) (k6output.Output, error) {
	if params.Environment[scriptSecondsVariable] != "" {
		return newScript(params, schedule, lines)
	}
	if err := schedule.Read(params.ScriptOptions); err != nil {
		return nil, err
	}
	schedule.IsSummarised = params.Environment["TACHO_K6_SUMMARY"] == "1"
	schedule.FinishOnSignal()
	return &Output{schedule: schedule, lines: lines}, nil
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
	end := endLine{Type: "end"}
	if o.series != nil {
		end.Requests, end.Dropped = o.series.Requests, o.series.Dropped
		end.Checks = o.series.Checks
	}
	for _, tally := range o.schedule.Tallies() {
		end.Interrupted += tally.CountInterrupted()
	}
	if o.schedule.IsSummarised {
		summary, err := readSummary(o.builtin)
		if err != nil {
			return err
		}
		end.K6Summary = summary
	}
	return o.lines.Write(end)
}

var errNotSent = errors.New("the script sent a request itself: build the load with lib/load.js")

// flush writes the lines that are due at now.
func (o *Output) flush(now time.Time, isLast bool) error {
	for _, container := range o.GetBufferedSamples() {
		if trail, isTrail := container.(*httpext.Trail); isTrail && isOfScenario(trail.Tags) {
			return errNotSent
		}
	}
	if o.series == nil {
		if err := o.begin(now); err != nil {
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
func (o *Output) begin(now time.Time) error {
	start, found := o.schedule.FindStart()
	if !found || now.Before(start) {
		return nil
	}
	seconds := o.schedule.Seconds
	o.series = series.New(start, seconds)
	return o.lines.Write(startLine{Type: "start", WallNs: start.UnixNano(), Seconds: seconds})
}

// takeTallies moves the senders' counts into the series.
func (o *Output) takeTallies(now time.Time) {
	connections := int64(0)
	for _, tally := range o.schedule.Tallies() {
		connections += tally.MoveTo(o.series)
	}
	o.series.AddVUs(now, connections)
}
