package module

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"

	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/sender"
	"tacho/worker/loadgen/k6/internal/series"
)

// waitingSamples is how many responses may wait for their comparison. Further samples are dropped.
const waitingSamples = 64

// sendLoad sends a whole load, and returns when it is over. It sends from Go, because JavaScript would
// use several times as much CPU time per request. Meanwhile it calls compare (or nothing if that is
// null) for the sampled responses.
func (u *virtualUser) sendLoad(given *sobek.Object, compare sobek.Value) {
	if err := u.trySendLoad(given, compare); err != nil {
		common.Throw(u.vu.Runtime(), err)
	}
}

func (u *virtualUser) trySendLoad(given *sobek.Object, compare sobek.Value) error {
	ctx, schedule := u.vu.Context(), u.module.schedule
	scenario := lib.GetScenarioState(ctx)
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
	state := u.vu.State()
	load, err := sender.NewLoad(parameters, schedule.Duration(), state.Logger)
	if err != nil {
		return err
	}
	schedule.Observe(scenario, lib.GetExecutionState(ctx))
	schedule.UnderWay.Add(1)
	defer schedule.UnderWay.Add(-1)
	segment, err := readSegment(state.Options)
	if err != nil {
		return err
	}
	samples := make(chan sender.Sample, waitingSamples)
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
	callback, isCompared := sobek.AssertFunction(compare)
	if isCompared {
		run.Samples = samples
	}
	var sendError error
	go func() {
		defer close(samples)
		sendError = load.Send(ctx, run)
	}()
	u.compareAll(callback, samples)
	return sendError
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

// compareAll passes samples to the script until the load is over.
func (u *virtualUser) compareAll(compare sobek.Callable, samples <-chan sender.Sample) {
	var tally *series.Tally
	for sample := range samples {
		if tally == nil {
			tally = u.module.schedule.NewTally()
		}
		expected, got, isWrong := u.compare(compare, sample)
		if u.vu.Context().Err() != nil {
			continue // k6 interrupted the script
		}
		var wrong *checks.WrongAnswer
		if isWrong {
			wrong = checks.NewWrongAnswer(sample.End, sample.Method+" "+sample.Path, expected, got)
			u.vu.State().Logger.Error(wrong)
		}
		tally.AddComparison(sample.Begin, sample.IsCounted, wrong)
	}
}

// compare calls the script. A comparison that throws an exception finds a wrong response.
func (u *virtualUser) compare(
	compare sobek.Callable, sample sender.Sample,
) (expected, got string, isWrong bool) {
	runtime := u.vu.Runtime()
	request := map[string]any{
		"method": sample.Method, "path": sample.Path, "body": string(sample.Request),
		"nonce": sample.Nonce, "integer": sample.Integer,
	}
	response := map[string]any{"status": sample.Status, "body": string(sample.Body)}
	result, err := compare(sobek.Undefined(),
		runtime.ToValue(map[string]any{"request": request, "response": response}))
	if err != nil {
		return "a response that can be compared", fmt.Sprintf("%v: %s", err, sample.Body), true
	}
	return readDifference(runtime, result)
}

// readDifference returns what a comparison returned: null or undefined, or both texts.
func readDifference(runtime *sobek.Runtime, result sobek.Value) (expected, got string, isWrong bool) {
	if sobek.IsNull(result) || sobek.IsUndefined(result) {
		return "", "", false
	}
	difference := result.ToObject(runtime)
	return fmt.Sprint(difference.Get("expected")), fmt.Sprint(difference.Get("got")), true
}
