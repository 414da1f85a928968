package main

import (
	"errors"
	"time"

	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
)

const flushInterval = 250 * time.Millisecond

// tachoOutput aggregates k6's samples into one line a second. It implements
// output.Output, output.WithBuiltinMetrics and output.WithTestRunStop.
type tachoOutput struct {
	output.SampleBuffer
	flusher  *output.PeriodicFlusher
	schedule *schedule
	lines    *lineWriter
	builtin  *metrics.BuiltinMetrics
	stop     func(error)

	series *series // nil before the load has begun
	routes map[routeKey]route
	trails int64
}

// route is how a request counts. k6 shares one tag set among equal samples, so its address
// stands for its content.
type route struct {
	isFailed bool
	kind     errorKind
}

type routeKey struct {
	tags     *metrics.TagSet
	isFailed bool
}

func newOutput(params output.Params, schedule *schedule, lines *lineWriter) (*tachoOutput, error) {
	if err := schedule.plan(params.ScriptOptions); err != nil {
		return nil, err
	}
	schedule.isSummarised = params.Environment["TACHO_K6_SUMMARY"] == "1"
	schedule.finishOnSignal()
	return &tachoOutput{schedule: schedule, lines: lines, routes: map[routeKey]route{}}, nil
}

// Description implements output.Output.
func (o *tachoOutput) Description() string { return "tacho: one line a second on stdout" }

// SetBuiltinMetrics implements output.WithBuiltinMetrics.
func (o *tachoOutput) SetBuiltinMetrics(builtin *metrics.BuiltinMetrics) { o.builtin = builtin }

// SetTestRunStopCallback implements output.WithTestRunStop.
func (o *tachoOutput) SetTestRunStopCallback(stop func(error)) { o.stop = stop }

// Start implements output.Output.
func (o *tachoOutput) Start() error {
	flusher, err := output.NewPeriodicFlusher(flushInterval, func() {
		if err := o.flush(time.Now(), false); err != nil {
			o.stop(err)
		} else if o.schedule.isDone() {
			o.stop(nil) // without a reason the run ends well
		}
	})
	o.flusher = flusher
	return err
}

// Stop implements output.Output: the last lines, and the end.
func (o *tachoOutput) Stop() error {
	o.flusher.Stop()
	if err := o.flush(time.Now(), true); err != nil {
		return err
	}
	end := endLine{Type: "end", Interrupted: o.schedule.interrupted()}
	if o.series != nil {
		end.Requests, end.Dropped = o.series.requests, o.series.dropped
	}
	if o.schedule.isSummarised {
		summary, err := readSummary(o.builtin)
		if err != nil {
			return err
		}
		end.K6Summary = summary
	}
	return o.lines.write(end)
}

// flush takes in what k6 handed over and writes the lines that are due at now.
func (o *tachoOutput) flush(now time.Time, isLast bool) error {
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
	for _, line := range o.series.takeLines(now, isLast) {
		if err := o.lines.write(line); err != nil {
			return err
		}
	}
	return nil
}

// begin writes the start line and lays out the seconds as soon as the start is known.
func (o *tachoOutput) begin() error {
	start, found := o.schedule.findStart()
	if !found {
		return nil
	}
	seconds := o.schedule.seconds
	o.series = newSeries(start, seconds)
	return o.lines.write(startLine{Type: "start", WallNs: start.UnixNano(), Seconds: seconds})
}

// takeTallies takes in what the senders counted.
func (o *tachoOutput) takeTallies(now time.Time) {
	tallies := o.schedule.sendersTallies()
	connections := int64(0)
	for _, tally := range tallies {
		connections += tally.moveTo(o.series)
	}
	if len(tallies) > 0 {
		o.series.addVUs(now, connections)
	}
}

var errNotAnnounced = errors.New("a request without tacho.begin(): send it by lib/request.js")

// addTrail counts a request from its trail, and leaves alone the nine samples in it.
func (o *tachoOutput) addTrail(trail *httpext.Trail) error {
	o.trails++
	if o.series == nil || o.trails > o.schedule.begun.Load() {
		return errNotAnnounced
	}
	key := routeKey{trail.Tags, trail.Failed.Bool}
	known, found := o.routes[key]
	if !found {
		known.isFailed, known.kind = classify(trail.Tags, trail.Failed.Bool)
		o.routes[key] = known
	}
	at := o.series.addRequest(trail.EndTime, trail.Duration, known.isFailed, known.kind)
	if o.schedule.countsFirstBytes && !known.isFailed {
		at.firstByte.add(trail.Duration - trail.Receiving)
	}
	return nil
}

// addSamples counts what is not a request; it belongs to the second of its instant.
func (o *tachoOutput) addSamples(samples []metrics.Sample) {
	if o.series == nil {
		return
	}
	for _, sample := range samples {
		switch sample.Metric {
		case o.builtin.VUs:
			if len(o.schedule.sendersTallies()) > 0 {
				continue // the virtual user that waits for the senders
			}
			o.series.addVUs(sample.Time, int64(sample.Value))
		case o.builtin.DataSent:
			o.series.cellAt(sample.Time).bytesSent += int64(sample.Value)
		case o.builtin.DataReceived:
			o.series.cellAt(sample.Time).bytesReceived += int64(sample.Value)
		case o.builtin.DroppedIterations:
			o.series.cellAt(sample.Time).dropped += int64(sample.Value)
			o.series.dropped += int64(sample.Value)
		case o.builtin.Checks:
			if sample.Value == 0 {
				o.series.cellAt(sample.Time).errors[errorCheck]++
			}
		}
	}
}
