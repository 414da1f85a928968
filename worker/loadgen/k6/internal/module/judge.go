package module

import (
	"encoding/json"
	"fmt"
	"time"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/metrics"

	"tacho/worker/loadgen/k6/internal/check"
	"tacho/worker/loadgen/k6/internal/checks"
	"tacho/worker/loadgen/k6/internal/failure"
	"tacho/worker/loadgen/k6/internal/nonce"
	"tacho/worker/loadgen/k6/internal/template"
)

// maxExpectations is how many expectations a virtual user keeps ready.
const maxExpectations = 64

// judged is what the checks of k6's response found. lib/request.js passes it on to settle.
type judged struct {
	IsAnswered bool   `js:"isAnswered"`
	IsFailed   bool   `js:"isFailed"`
	IsWrong    bool   `js:"isWrong"`
	IsCompared bool   `js:"isCompared"`
	IsSigned   bool   `js:"isSigned"`
	Expected   string `js:"expected"`
	Got        string `js:"got"`
}

// findExpectation returns the expectation with this JSON, and compiles it at the first use.
func (u *virtualUser) findExpectation(encoded string) (*check.Expectation, error) {
	if known, found := u.expectations[encoded]; found {
		return known, nil
	}
	var given check.Given
	if err := json.Unmarshal([]byte(encoded), &given); err != nil {
		return nil, fmt.Errorf("expect: %w", err)
	}
	if given.Stream != nil {
		return nil, fmt.Errorf("expect.stream needs plainLoad(): k6 cannot observe when items arrive")
	}
	made, err := check.New(given)
	if err != nil {
		return nil, err
	}
	if len(u.expectations) == maxExpectations {
		clear(u.expectations)
	}
	u.expectations[encoded] = made
	return made, nil
}

// judge checks a response that k6 received; a status of 0 stands for none. The expectation is JSON.
func (u *virtualUser) judge(
	encoded string, isControl bool, digits string, status int, mediaType, body string,
) judged {
	expectation, err := u.findExpectation(encoded)
	if err != nil {
		common.Throw(u.vu.Runtime(), err)
	}
	if status == 0 {
		return judged{IsFailed: true}
	}
	var values template.Values
	drawn, err := nonce.Parse(digits)
	if err != nil && digits != "" {
		common.Throw(u.vu.Runtime(), fmt.Errorf("%q is not a nonce", digits))
	}
	values.Set(drawn)
	u.observer.Begin(expectation, &values)
	u.observer.Watch([]byte(body), 0)
	response := check.Response{
		Status: status, Type: []byte(mediaType), Body: []byte(body), Length: int64(len(body)),
	}
	verdict := u.observer.Judge(response)
	isFailed, kind := failure.ClassifyStatus(status, verdict.IsAnswered, isControl)
	result := judged{
		IsAnswered: verdict.IsAnswered,
		IsFailed:   isFailed,
		IsWrong:    kind == failure.Check || verdict.IsAnswered && verdict.IsWrong(),
		IsCompared: verdict.IsAnswered && expectation.IsWhole(),
		IsSigned:   verdict.IsSigned,
	}
	if result.IsWrong {
		result.Expected, result.Got = u.observer.Explain(verdict, response)
	}
	return result
}

// settle counts a request whose response has been checked, and compared by its script if that was
// necessary. The request is its method and path.
func (u *virtualUser) settle(request string, isControl bool, found judged) {
	var wrong *checks.WrongAnswer
	if found.IsWrong {
		start, _ := u.module.schedule.FindStart()
		wrong = checks.NewWrongAnswer(time.Since(start), request, found.Expected, found.Got)
		u.vu.State().Logger.Error(wrong)
	}
	u.module.schedule.Ledger.Add(checks.Outcome{
		IsControl:  isControl,
		IsAnswered: found.IsAnswered,
		IsWrong:    found.IsWrong,
		IsCompared: found.IsCompared,
		IsSigned:   found.IsSigned,
		Resent:     u.transport.takeResent(),
	}, wrong)
	if found.IsWrong && !found.IsFailed {
		u.countWrong()
	}
}

// countWrong passes a failed check to the output. A wrong response that failed counts there already.
func (u *virtualUser) countWrong() {
	state := u.vu.State()
	tags := state.Tags.GetCurrentValues().Tags
	metrics.PushIfNotDone(u.vu.Context(), state.Samples, metrics.Sample{
		TimeSeries: metrics.TimeSeries{Metric: state.BuiltinMetrics.Checks, Tags: tags},
		Time:       time.Now(),
	})
}
