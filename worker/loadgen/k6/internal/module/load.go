package module

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"

	"tacho/worker/loadgen/k6/internal/sender"
)

// sampleKeyVariable is the environment variable with the trial's key for drawing samples.
const sampleKeyVariable = "TACHO_SAMPLE_KEY"

// waitingSamples is how many responses may wait for their comparison if the script does not draw the
// requests. Further samples are dropped.
const waitingSamples = 64

// sendLoad sends a whole load, and returns when it is over. Go sends it, because JavaScript would use
// several times as much CPU time per request. Meanwhile sendLoad calls the script's functions, which
// draw requests and compare responses.
func (u *virtualUser) sendLoad(given, functions *sobek.Object) {
	if err := u.trySendLoad(given, functions); err != nil {
		common.Throw(u.vu.Runtime(), err)
	}
}

func (u *virtualUser) trySendLoad(given, functions *sobek.Object) error {
	schedule, state := u.module.schedule, u.vu.State()
	scenario := lib.GetScenarioState(u.vu.Context())
	if scenario == nil || schedule.Duration() == 0 {
		return errors.New("sendLoad() may be called only in an iteration of a scenario, with --out tacho")
	}
	encoded, err := given.MarshalJSON()
	if err != nil {
		return fmt.Errorf("parameters of sendLoad(): %w", err)
	}
	var parameters sender.Parameters
	if err := json.Unmarshal(encoded, &parameters); err != nil {
		return fmt.Errorf("parameters of sendLoad(): %w", err)
	}
	load, err := sender.NewLoad(parameters, schedule.Duration(), state.Logger)
	if err != nil {
		return err
	}
	script, err := newScript(u, load, functions)
	if err != nil {
		return err
	}
	segment, err := readSegment(state.Options)
	if err != nil {
		return err
	}
	schedule.UnderWay.Add(1)
	defer schedule.UnderWay.Add(-1)
	start := scenario.StartTime
	if parameters.Turn != nil {
		start = sender.StartOfTurn(start, *parameters.Turn)
	}
	schedule.Begin(start)
	run := sender.Run{
		NewTally:         schedule.NewTally,
		IsFinished:       &schedule.IsFinished,
		SampleKey:        os.Getenv(sampleKeyVariable),
		CountsFirstBytes: schedule.CountsFirstBytes,
		Segment:          segment,
	}
	if schedule.IsSummarised {
		run.NewFeed = func() sender.Feed { return newFeed(state) }
	}
	waiting := waitingSamples
	// A script that draws requests, or that compares every response, sets the pace: it compares before
	// it draws. So no more responses wait than requests are drawn or in flight.
	if script.isDrawing || script.compare != nil && parameters.SampleShare == 1 {
		run.Supply = sender.NewSupply()
		waiting = parameters.MaxConnections + 2*sender.MostAhead
	}
	samples := make(chan sender.Sample, waiting)
	if script.compare != nil {
		run.Samples = samples
	}
	ctx, cancel := context.WithCancel(u.vu.Context())
	defer cancel()
	var sendError error
	go func() {
		defer close(samples)
		sendError = load.Send(ctx, run)
	}()
	scriptError := script.serve(run.Supply, samples, cancel)
	return errors.Join(scriptError, sendError)
}

// readSegment returns the part of the load that k6 sends, from its option --execution-segment.
func readSegment(options lib.Options) (sender.Segment, error) {
	tuple, err := lib.NewExecutionTuple(options.ExecutionSegment, options.ExecutionSegmentSequence)
	if err != nil {
		return sender.Segment{}, fmt.Errorf("the execution segment: %w", err)
	}
	start, offsets, parts := tuple.GetStripedOffsets()
	if len(offsets) != 1 {
		return sender.Segment{}, fmt.Errorf("the execution segment is %s: all must be equal", tuple)
	}
	return sender.Segment{Index: int(start), Count: int(parts)}, nil
}
