package output

import (
	"fmt"
	"strconv"
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

// scriptSecondsVariable is the environment variable with the maximum length (s) of a load that a k6
// script sends itself. Loads of sendLoad() do not have it.
const scriptSecondsVariable = "TACHO_SCRIPT_SECONDS"

// scriptWindowVariable is the environment variable with the measured seconds of such a load: the first
// one, and the one after the last, as in 30:45.
const scriptWindowVariable = "TACHO_SCRIPT_WINDOW"

// scriptTags are the tags that ScriptOutput reads.
var scriptTags = []metrics.SystemTag{
	metrics.TagScenario, metrics.TagStatus, metrics.TagErrorCode, metrics.TagCheck,
}

// ScriptOutput counts the requests that a k6 script sends itself, one line per second. It implements
// Output, WithBuiltinMetrics, WithTestRunStop and WithThresholds of k6's package output.
//
// An output sees nothing but samples, which k6 emits when something has ended:
//   - Only samples of a scenario have the tag `scenario`, so requests of setup() and teardown() are
//     those without it. The tag `group` is not enough, because a scenario may have a group of the name
//     `setup`.
//   - The first sample of an iteration is that of its first request. Second 0 begins when the first
//     request of a scenario began. Time before it, such as a sleep, is not load.
//   - No sample marks the end of the scenarios. So a second is written only after a later sign of
//     life: a request, an iteration, or a virtual user at work, which k6 counts each second. Seconds
//     of teardown() are not written, nor those in which k6 only waits for the last iterations.
//
// A latency is http_req_blocked + http_req_duration: it counts from the moment when k6 looked for a
// connection, and includes DNS, connecting and TLS. Requests that the end of the load cuts off leave no
// sample.
type ScriptOutput struct {
	k6output.SampleBuffer
	flusher    *k6output.PeriodicFlusher
	schedule   *schedule.Schedule
	lines      *jsonlines.Writer
	builtin    *metrics.BuiltinMetrics
	thresholds map[string]metrics.Thresholds
	stop       func(error)

	report    *scriptReport
	seconds   int            // to count at most
	window    window         // the measured seconds
	series    *series.Series // nil before the first request
	start     time.Time
	end       time.Time // of the last second to count
	limit     time.Time // when the script has to end
	early     []metrics.Sample
	firstLife time.Time
	lastLife  time.Time
	slowest   time.Duration
	finishAt  time.Time // zero before SIGUSR1
	isStopped bool
}

// newScript returns the output of a script whose load lasts at most a number of seconds.
func newScript(
	params k6output.Params, schedule *schedule.Schedule, lines *jsonlines.Writer,
) (*ScriptOutput, error) {
	given := params.Environment[scriptSecondsVariable]
	seconds, err := strconv.Atoi(given)
	if err != nil || seconds < 1 {
		return nil, fmt.Errorf("%s is %q: it must be a number of seconds", scriptSecondsVariable, given)
	}
	measured, err := parseWindow(params.Environment[scriptWindowVariable])
	if err != nil {
		return nil, err
	}
	schedule.Seconds = seconds
	schedule.FinishOnSignal()
	// The virtual users, which do not exist yet, share this set. It may lack tags that the script's
	// option systemTags has left out.
	for _, tag := range scriptTags {
		params.ScriptOptions.SystemTags.Add(tag)
	}
	return &ScriptOutput{
		schedule: schedule,
		lines:    lines,
		seconds:  limitSeconds(seconds, params.ScriptOptions.Scenarios),
		window:   measured,
	}, nil
}

// window is a part of a load: from `first` to before `end`, since its first request.
type window struct{ first, end time.Duration }

// parseWindow reads the seconds of a window, such as 30:45.
func parseWindow(given string) (window, error) {
	var first, end int
	_, err := fmt.Sscanf(given, "%d:%d", &first, &end)
	if err != nil || first < 0 || end <= first {
		return window{}, fmt.Errorf(
			"%s is %q: it must be two increasing numbers of seconds, such as 30:45",
			scriptWindowVariable, given,
		)
	}
	return window{time.Duration(first) * time.Second, time.Duration(end) * time.Second}, nil
}

// has reports whether an instant lies in the window of a load that began at `start`.
func (w window) has(start, instant time.Time) bool {
	since := instant.Sub(start)
	return since >= w.first && since < w.end
}

// Description implements k6's Output.
func (o *ScriptOutput) Description() string { return "tacho: one line per second on stdout" }

// SetBuiltinMetrics implements k6's WithBuiltinMetrics.
func (o *ScriptOutput) SetBuiltinMetrics(builtin *metrics.BuiltinMetrics) { o.builtin = builtin }

// SetTestRunStopCallback implements k6's WithTestRunStop.
func (o *ScriptOutput) SetTestRunStopCallback(stop func(error)) { o.stop = stop }

// SetThresholds implements k6's WithThresholds.
func (o *ScriptOutput) SetThresholds(given map[string]metrics.Thresholds) { o.thresholds = given }

// Start implements k6's Output.
func (o *ScriptOutput) Start() error {
	dropUnusedValues(o.builtin)
	o.report = newScriptReport()
	flusher, err := k6output.NewPeriodicFlusher(flushInterval, func() {
		if err := o.flush(false); err != nil {
			o.stopRun(err)
		} else if o.isOver(time.Now()) {
			o.stopRun(nil) // a run without an error succeeds, unless a threshold failed
		}
	})
	o.flusher = flusher
	return err
}

// Stop implements k6's Output. It writes the remaining lines and the end line. k6 has evaluated the
// thresholds before.
func (o *ScriptOutput) Stop() error {
	o.flusher.Stop()
	if err := o.flush(true); err != nil {
		return err
	}
	end := endLine{Type: "end", Script: o.report.finish(o.thresholds)}
	if o.series != nil {
		end.Requests, end.Dropped = o.series.Requests, o.series.Dropped
		end.Checks = o.series.Checks
	}
	return o.lines.Write(end)
}

// stopRun ends the run. If it was aborted already, such as by a threshold with abortOnFail, k6
// dereferences the missing error of a normal end.
func (o *ScriptOutput) stopRun(err error) {
	if o.isStopped {
		return
	}
	o.isStopped = true
	defer func() { _ = recover() }()
	o.stop(err)
}

// isOver reports whether the load has to end.
//
// After SIGUSR1 it goes on for as long as the slowest request took so far, so that the requests under
// way are not cut off. That would leave out the slow ones.
func (o *ScriptOutput) isOver(now time.Time) bool {
	isFinished := o.schedule.IsFinished.Load()
	if o.series == nil {
		hasLife := !o.firstLife.IsZero()
		return isFinished || hasLife && now.Sub(o.firstLife) >= o.schedule.Duration()
	}
	if isFinished && o.finishAt.IsZero() {
		o.finishAt = now.Add(o.slowest)
	}
	return !now.Before(o.limit) || isFinished && !now.Before(o.finishAt)
}

// flush counts the samples since the last flush and writes the lines that are due.
func (o *ScriptOutput) flush(isLast bool) error {
	containers := o.GetBufferedSamples()
	if o.series == nil {
		if err := o.begin(containers); err != nil {
			return err
		}
	}
	for _, container := range containers {
		if trail, isRequest := container.(*httpext.Trail); isRequest {
			o.countRequest(trail)
			continue
		}
		for _, sample := range container.GetSamples() {
			o.count(sample)
		}
	}
	if o.series == nil {
		return nil
	}
	reached := o.lastLife
	if isLast {
		reached = o.findEnd()
	}
	for _, line := range o.series.TakeLines(reached, isLast) {
		if err := o.lines.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// findEnd returns the end of the load. Its last second counts if a request began in it, or if it was
// alive for half of it.
func (o *ScriptOutput) findEnd() time.Time {
	within := o.lastLife.Sub(o.start) % time.Second
	if within >= time.Second/2 || o.series.CellAt(o.lastLife).Requests > 0 {
		return o.lastLife
	}
	return o.lastLife.Add(-within - 1)
}

// begin writes the start line and creates the series, if there is a request of a scenario.
func (o *ScriptOutput) begin(containers []metrics.SampleContainer) error {
	var start time.Time
	for _, container := range containers {
		trail, isRequest := container.(*httpext.Trail)
		if !isRequest || !isOfScenario(trail.Tags) {
			continue
		}
		// The requests of several virtual users begin at the same time and end in any order.
		if begun := findBegin(trail); start.IsZero() || begun.Before(start) {
			start = begun
		}
	}
	if start.IsZero() {
		return nil
	}
	o.start, o.series = start, series.New(start, o.seconds)
	o.end = start.Add(time.Duration(o.seconds) * time.Second)
	o.limit = start.Add(o.schedule.Duration())
	early := o.early
	o.early = nil
	for _, sample := range early {
		o.count(sample)
	}
	return o.lines.Write(startLine{Type: "start", WallNs: start.UnixNano(), Seconds: o.seconds})
}

// isOfScenario reports whether a sample is neither of setup() nor of teardown().
func isOfScenario(tags *metrics.TagSet) bool {
	_, found := tags.Get(metrics.TagScenario.String())
	return found
}

// findBegin returns when k6 looked for a connection for a request.
func findBegin(trail *httpext.Trail) time.Time {
	return trail.EndTime.Add(-trail.Blocked - trail.Duration)
}

// noteLife stores that the load was alive at an instant.
func (o *ScriptOutput) noteLife(instant time.Time) {
	if o.firstLife.IsZero() {
		o.firstLife = instant
	}
	if instant.After(o.lastLife) {
		o.lastLife = instant
	}
}

// countRequest counts a request of a scenario.
func (o *ScriptOutput) countRequest(trail *httpext.Trail) {
	if !isOfScenario(trail.Tags) {
		return
	}
	begun := findBegin(trail)
	o.noteLife(trail.EndTime)
	o.slowest = max(o.slowest, trail.EndTime.Sub(begun))
	if !begun.Before(o.end) {
		return
	}
	isFailed, kind := judge(trail)
	timing := series.Timing{Sent: begun, End: trail.EndTime}
	cell := o.series.AddRequest(timing, false, isFailed, kind)
	if trail.Connecting > 0 {
		cell.Connections++
	}
	o.series.Checks.Add(checks.Outcome{IsAnswered: !isFailed})
}

// judge returns whether a request failed, and why. The script decides which statuses it expects. If it
// has turned that off (http.setResponseCallback(null)), only requests without a response fail.
func judge(trail *httpext.Trail) (bool, failure.Kind) {
	status := readTag(trail.Tags, metrics.TagStatus)
	isFailed := trail.Failed.Bool
	if !trail.Failed.Valid {
		isFailed = status == 0
	}
	if !isFailed {
		return false, failure.Other
	}
	return true, failure.ClassifyK6(readTag(trail.Tags, metrics.TagErrorCode), status)
}

// readTag returns the number in a tag; 0 without the tag.
func readTag(tags *metrics.TagSet, tag metrics.SystemTag) int {
	text, _ := tags.Get(tag.String())
	number, _ := strconv.Atoi(text)
	return number
}

// count counts a sample that is not one of a request.
func (o *ScriptOutput) count(sample metrics.Sample) {
	switch sample.Metric {
	case o.builtin.VUs:
		o.countVUs(sample)
	case o.builtin.DroppedIterations:
		o.countDropped(sample)
	case o.builtin.Iterations:
		o.noteLife(sample.Time)
	case o.builtin.DataSent:
		if cell := o.findCell(sample); cell != nil {
			cell.BytesSent += int64(sample.Value)
		}
	case o.builtin.DataReceived:
		if cell := o.findCell(sample); cell != nil {
			cell.BytesReceived += int64(sample.Value)
		}
	case o.builtin.Checks:
		o.report.addCheck(sample)
	default:
		// The values of the warm-up are those of a service that is not warm.
		if o.series != nil && o.window.has(o.start, sample.Time) {
			o.report.addMetric(sample)
		}
	}
}

// countVUs stores how many virtual users are at work, each with its own connections.
func (o *ScriptOutput) countVUs(sample metrics.Sample) {
	if sample.Value > 0 {
		o.noteLife(sample.Time)
	}
	if o.series == nil {
		o.early = append(o.early, sample)
		return
	}
	o.series.AddVUs(sample.Time, int64(sample.Value))
}

// countDropped counts iterations that were due and had no virtual user.
func (o *ScriptOutput) countDropped(sample metrics.Sample) {
	o.noteLife(sample.Time)
	if o.series == nil {
		o.early = append(o.early, sample)
	} else if sample.Time.Before(o.end) {
		o.series.AddDropped(sample.Time, int64(sample.Value))
	}
}

// findCell returns the cell for the bytes of an iteration, which k6 counts when it ends. It returns nil
// for other bytes.
func (o *ScriptOutput) findCell(sample metrics.Sample) *series.Cell {
	if o.series == nil || !isOfScenario(sample.Tags) || !sample.Time.Before(o.end) {
		return nil
	}
	return o.series.CellAt(sample.Time)
}
