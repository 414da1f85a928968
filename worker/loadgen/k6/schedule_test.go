package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib"
)

func options(extension string) lib.Options {
	return lib.Options{External: map[string]json.RawMessage{"tacho": json.RawMessage(extension)}}
}

func TestPlanOfALoad(t *testing.T) {
	var s schedule
	if err := s.plan(options(`{"seconds": 5}`)); err != nil || s.duration() != 5*time.Second {
		t.Errorf("%v, %v", s.duration(), err)
	}
}

func TestPlanRefusesWhatIsNoPlan(t *testing.T) {
	for given, expected := range map[string]string{
		`{}`:               "seconds is 0",
		`{"seconds": -1}`:  "seconds is -1",
		`{"seconds": "3"}`: "options.ext.tacho",
	} {
		var s schedule
		err := s.plan(options(given))
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("plan(%s) says %v, want %q", given, err, expected)
		}
	}
	var s schedule
	if err := s.plan(lib.Options{}); err == nil {
		t.Error("options without a plan are accepted")
	}
}

func TestAFinishedLoadIsDoneWhenNothingIsUnderWay(t *testing.T) {
	var s schedule
	if !s.tryBegin() || s.isDone() {
		t.Error("a load does not begin, or is done before it was finished")
	}
	s.isFinished.Store(true)
	if s.tryBegin() || s.isDone() {
		t.Error("a finished load begins a request, or does not wait for the one under way")
	}
	s.underWay.Add(-1)
	if !s.isDone() {
		t.Error("the load is not done")
	}
}
