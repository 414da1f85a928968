package schedule

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

func TestReadTakesTheLengthOfALoad(t *testing.T) {
	var s Schedule
	if err := s.Read(options(`{"seconds": 5}`)); err != nil || s.Duration() != 5*time.Second {
		t.Errorf("%v, %v", s.Duration(), err)
	}
}

func TestReadRefusesInvalidOptions(t *testing.T) {
	for given, expected := range map[string]string{
		`{}`:               "seconds is 0",
		`{"seconds": -1}`:  "seconds is -1",
		`{"seconds": "3"}`: "options.ext.tacho",
	} {
		var s Schedule
		err := s.Read(options(given))
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("Read(%s) returns %v, want %q", given, err, expected)
		}
	}
	var s Schedule
	if err := s.Read(lib.Options{}); err == nil {
		t.Error("options without a plan are accepted")
	}
}

func TestAFinishedLoadIsDoneWhenNothingIsUnderWay(t *testing.T) {
	var s Schedule
	s.UnderWay.Add(1)
	if s.IsDone() {
		t.Error("a load is done before it was finished")
	}
	s.IsFinished.Store(true)
	if s.IsDone() {
		t.Error("a finished load does not wait for the requests under way")
	}
	s.UnderWay.Add(-1)
	if !s.IsDone() {
		t.Error("the load is not done")
	}
}
