package module

import (
	"context"
	"fmt"
	"time"

	"github.com/grafana/sobek"

	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/mix"
	"tacho/worker/loadgen/k6/internal/sender"
	"tacho/worker/loadgen/k6/internal/series"
)

const (
	// batchSize is how many requests a script draws before it compares the responses that wait.
	batchSize = 16

	// maxRefusals is how often in a row a script may refuse to draw.
	maxRefusals = 1000
)

// script draws requests and compares responses while the senders send. Only the goroutine of its
// virtual user may use it.
type script struct {
	user      *virtualUser
	runtime   *sobek.Runtime
	mix       *mix.Mix
	draws     []sobek.Callable // by kind; nil for a kind without drawn values
	isDrawing bool
	compare   sobek.Callable // nil to compare nothing
	tally     *series.Tally
}

// newScript returns the functions of sendLoad: `draws`, a list with a function or null for each kind of
// request, and `compare`, a function or null.
func newScript(u *virtualUser, load *sender.Load, functions *sobek.Object) (*script, error) {
	mix, err := load.NewMix()
	if err != nil {
		return nil, err
	}
	made := &script{user: u, runtime: u.vu.Runtime(), mix: mix}
	made.compare, _ = sobek.AssertFunction(functions.Get("compare"))
	var draws []sobek.Value
	if err := made.runtime.ExportTo(functions.Get("draws"), &draws); err != nil {
		return nil, fmt.Errorf("the functions of sendLoad(): %w", err)
	}
	for _, value := range draws {
		draw, isDrawing := sobek.AssertFunction(value)
		made.draws = append(made.draws, draw)
		made.isDrawing = made.isDrawing || isDrawing
	}
	return made, nil
}

// serve calls the script until the load is over. If the script throws an exception as it draws, serve
// cancels the load.
func (s *script) serve(
	supply *sender.Supply, samples <-chan sender.Sample, cancel context.CancelFunc,
) (drawError error) {
	var wanted <-chan struct{}
	if supply != nil {
		wanted = supply.Wanted
	}
	s.tally = s.user.module.schedule.NewTally()
	setState := func(series.ScriptState) {} // such a script does not limit the load
	if supply != nil {
		setState = s.tally.SetScript
	}
	setState(series.ScriptWorking)
	defer setState(series.ScriptAbsent)
	for {
		select {
		case sample, isOpen := <-samples:
			if !isOpen {
				return drawError
			}
			s.settle(sample)
			continue
		default: // none waits
		}
		if supply != nil && drawError == nil && supply.Missing() > 0 {
			if drawError = s.fill(supply); drawError != nil {
				cancel()
			}
			continue
		}
		setState(series.ScriptWaiting)
		select {
		case sample, isOpen := <-samples:
			setState(series.ScriptWorking)
			if !isOpen {
				return drawError
			}
			s.settle(sample)
		case <-wanted:
			setState(series.ScriptWorking)
		}
	}
}

// fill draws the next requests.
func (s *script) fill(supply *sender.Supply) error {
	batch := make([]mix.Drawn, 0, min(supply.Missing(), batchSize))
	for len(batch) < cap(batch) {
		drawn, err := s.draw()
		if err != nil {
			return err
		}
		batch = append(batch, drawn)
	}
	supply.Add(batch)
	return nil
}

// draw draws a request. A script may refuse to draw a kind, and gets another then.
func (s *script) draw() (mix.Drawn, error) {
	for range maxRefusals {
		drawn := s.mix.Draw()
		kind := s.mix.Kind(drawn)
		if !kind.IsDrawn {
			return drawn, nil
		}
		result, err := s.draws[drawn.Kind](sobek.Undefined(), s.runtime.ToValue(drawn.Nonce.String()))
		if err != nil {
			return drawn, err
		}
		if sobek.IsNull(result) || sobek.IsUndefined(result) {
			continue
		}
		object := result.ToObject(s.runtime)
		drawn.Script = result
		drawn.Values = make([][]byte, len(kind.Names))
		for index, name := range kind.Names {
			value := object.Get(name)
			if value == nil || sobek.IsUndefined(value) {
				return drawn, fmt.Errorf("draw() of a %s request returned no %s", kind.Method, name)
			}
			drawn.Values[index] = []byte(value.String())
		}
		return drawn, nil
	}
	return mix.Drawn{}, fmt.Errorf("draw() returned null %d times in a row", maxRefusals)
}

// settle compares a response and counts the result.
func (s *script) settle(sample sender.Sample) {
	expected, got, isWrong := s.findDifference(sample)
	if s.user.vu.Context().Err() != nil {
		return // k6 interrupted the script
	}
	var wrong *checks.WrongAnswer
	if isWrong {
		wrong = checks.NewWrongAnswer(sample.End, sample.Method+" "+sample.Path, expected, got)
		s.user.vu.State().Logger.Error(wrong)
	}
	s.tally.AddComparison(sample.Begin, sample.IsCounted, wrong)
}

// findDifference calls the script. A comparison that throws an exception finds a wrong response.
func (s *script) findDifference(sample sender.Sample) (expected, got string, isWrong bool) {
	values, isDrawn := sample.Script.(sobek.Value)
	if !isDrawn {
		values = sobek.Null()
	}
	request := s.object("method", sample.Method, "nonce", sample.Nonce, "integer", sample.Integer,
		"values", values)
	response := s.object("status", sample.Status, "body", string(sample.Body), "stamp", sample.Stamp,
		"signature", sample.Signature, "sentMs", inMs(sample.Sent), "endMs", inMs(sample.End))
	result, err := s.compare(sobek.Undefined(), s.object("request", request, "response", response))
	if err != nil {
		return "a response that can be compared", fmt.Sprintf("%v: %s", err, sample.Body), true
	}
	return readDifference(s.runtime, result)
}

// object returns an object with these names and values.
func (s *script) object(pairs ...any) *sobek.Object {
	made := s.runtime.NewObject()
	for index := 0; index < len(pairs); index += 2 {
		_ = made.Set(pairs[index].(string), pairs[index+1]) // fails only for objects that are frozen
	}
	return made
}

func inMs(duration time.Duration) float64 { return float64(duration) / float64(time.Millisecond) }

// readDifference returns what a comparison returned: null or undefined, or both texts.
func readDifference(runtime *sobek.Runtime, result sobek.Value) (expected, got string, isWrong bool) {
	if sobek.IsNull(result) || sobek.IsUndefined(result) {
		return "", "", false
	}
	difference := result.ToObject(runtime)
	return fmt.Sprint(difference.Get("expected")), fmt.Sprint(difference.Get("got")), true
}
