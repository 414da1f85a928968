// Package module is the JavaScript module `k6/x/tacho`.
package module

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"tacho/worker/loadgen/k6/internal/check"
	"tacho/worker/loadgen/k6/internal/jsonlines"
	"tacho/worker/loadgen/k6/internal/nonce"
	"tacho/worker/loadgen/k6/internal/sample"
	"tacho/worker/loadgen/k6/internal/schedule"
)

// sampleKeyVariable is the environment variable with the trial's key for drawing samples.
const sampleKeyVariable = "TACHO_SAMPLE_KEY"

// scriptsDrawer is the number of the drawer of k6's virtual users. Those of Go's senders count from 0.
const scriptsDrawer = -1

// noIteration is before the first iteration of a virtual user.
const noIteration = -1

// Module is `k6/x/tacho`. All virtual users of a run share it.
type Module struct {
	schedule *schedule.Schedule
	lines    *jsonlines.Writer

	mutex  sync.Mutex // of the generators below
	nonces *nonce.Generator
	drawer *sample.Drawer // nil before the first draw
}

// virtualUser is the module's instance of a virtual user.
type virtualUser struct {
	module       *Module
	vu           modules.VU
	scenario     *lib.ScenarioState            // the last state observed
	iteration    int64                         // the last whose first request has begun
	transport    *countingTransport            // nil before the first request
	expectations map[string]*check.Expectation // by their JSON
	observer     check.Observer
}

// New returns the module, which writes its lines to a writer.
func New(schedule *schedule.Schedule, lines *jsonlines.Writer) *Module {
	return &Module{schedule: schedule, lines: lines, nonces: nonce.NewGenerator()}
}

// NewModuleInstance implements modules.Module.
func (m *Module) NewModuleInstance(vu modules.VU) modules.Instance {
	return &virtualUser{
		module: m, vu: vu, iteration: noIteration, expectations: map[string]*check.Expectation{},
	}
}

// Exports implements modules.Instance.
func (u *virtualUser) Exports() modules.Exports {
	named := map[string]any{
		"begin": u.begin, "done": u.done, "drawNonce": u.drawNonce, "emit": u.emit,
		"isDrawn": u.isDrawn, "isSampled": u.isSampled, "judge": u.judge, "sendLoad": u.sendLoad,
		"settle": u.settle, "writeData": u.writeData,
	}
	return modules.Exports{Default: named, Named: named}
}

// begin announces a request. Once the load is finished, or has sent the requests of its count, it blocks
// the virtual user until the run ends.
func (u *virtualUser) begin(isControl bool) {
	ctx, schedule := u.vu.Context(), u.module.schedule
	scenario := lib.GetScenarioState(ctx)
	if scenario == nil {
		common.Throw(u.vu.Runtime(), errors.New("begin() may be called only in an iteration of a scenario"))
	}
	if scenario != u.scenario {
		segment, err := readSegment(u.vu.State().Options)
		if err != nil {
			common.Throw(u.vu.Runtime(), err)
		}
		u.scenario = scenario
		schedule.Observe(scenario, lib.GetExecutionState(ctx))
		schedule.Generators.Store(int64(segment.Count))
		schedule.Count.Share(segment.Index, segment.Count)
	}
	if !schedule.Count.Take(scenario.StartTime, isControl) || !schedule.TryBegin() {
		<-ctx.Done()
		common.Throw(u.vu.Runtime(), errors.New("the load is finished"))
	}
	schedule.Begun.Add(1)
	u.attachArrival(scenario)
	u.countResends()
}

// attachArrival makes the output find when the request was due, if it is the first of an iteration
// that k6 begins at a constant rate. Later requests of an iteration wait for the response before, so
// they have no due time.
func (u *virtualUser) attachArrival(scenario *lib.ScenarioState) {
	if u.module.schedule.RatePerSecond == 0 {
		return
	}
	state := u.vu.State()
	isFirst := state.Iteration != u.iteration
	u.iteration = state.Iteration
	if !isFirst {
		state.Tags.Modify(schedule.DetachArrival)
		return
	}
	arrival := schedule.Arrival{
		Iteration: int64(state.GetScenarioGlobalVUIter()),
		Begun:     time.Since(scenario.StartTime),
	}
	state.Tags.Modify(arrival.Attach)
}

// countResends makes the virtual user count the requests that its HTTP client sends again.
func (u *virtualUser) countResends() {
	if u.transport == nil {
		state := u.vu.State()
		u.transport = &countingTransport{RoundTripper: state.Transport}
		state.Transport = u.transport
	}
}

// done records that a request has its response or has failed.
func (u *virtualUser) done() { u.module.schedule.UnderWay.Add(-1) }

// drawNonce returns the digits of a new nonce.
func (u *virtualUser) drawNonce() string {
	u.module.mutex.Lock()
	defer u.module.mutex.Unlock()
	return u.module.nonces.Next().String()
}

// isDrawn returns true for a share of its calls, which no service can predict.
func (u *virtualUser) isDrawn(share float64) bool {
	u.module.mutex.Lock()
	defer u.module.mutex.Unlock()
	const bits = 53 // of a float64
	return float64(u.module.nonces.Uint64()>>(64-bits))/(1<<bits) < share
}

// isSampled draws whether a response is compared in full.
func (u *virtualUser) isSampled(share float64) bool {
	u.module.mutex.Lock()
	defer u.module.mutex.Unlock()
	if u.module.drawer == nil {
		drawer, err := sample.NewDrawer(os.Getenv(sampleKeyVariable), scriptsDrawer)
		if err != nil {
			common.Throw(u.vu.Runtime(), err)
		}
		u.module.drawer = drawer
	}
	return u.module.drawer.Draw(share)
}

// emit writes an object as one line on stdout.
func (u *virtualUser) emit(object *sobek.Object) {
	encoded, err := object.MarshalJSON()
	if err == nil {
		err = u.module.lines.Write(json.RawMessage(encoded))
	}
	if err != nil {
		common.Throw(u.vu.Runtime(), err)
	}
}

// writeData replaces a file of the scenario's data, which services can read. The replacement is
// atomic: a service that reads the file at the same time gets the old content or the new content.
func (u *virtualUser) writeData(name, text string) {
	if err := replaceFile(os.Getenv("TACHO_DATA"), name, text); err != nil {
		common.Throw(u.vu.Runtime(), err)
	}
}

func replaceFile(folder, name, text string) error {
	if folder == "" {
		return errors.New("writeData() may be called only in a scenario with a data folder")
	}
	if filepath.Base(name) != name {
		return fmt.Errorf("%q is not the plain name of a data file", name)
	}
	path := filepath.Join(folder, name)
	fresh := path + ".new"
	if err := os.WriteFile(fresh, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}
