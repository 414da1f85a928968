// Package module is the JavaScript module `k6/x/tacho`.
package module

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"tacho/worker/loadgen/k6/internal/jsonlines"
	"tacho/worker/loadgen/k6/internal/schedule"
	"tacho/worker/loadgen/k6/internal/sender"
)

// Module is `k6/x/tacho`. All virtual users of a run share it.
type Module struct {
	schedule *schedule.Schedule
	lines    *jsonlines.Writer
}

// virtualUser is the module's instance of a virtual user.
type virtualUser struct {
	module   *Module
	vu       modules.VU
	scenario *lib.ScenarioState // the last state observed
}

// New returns the module, which writes its lines to a writer.
func New(schedule *schedule.Schedule, lines *jsonlines.Writer) *Module {
	return &Module{schedule: schedule, lines: lines}
}

// NewModuleInstance implements modules.Module.
func (m *Module) NewModuleInstance(vu modules.VU) modules.Instance {
	return &virtualUser{module: m, vu: vu}
}

// Exports implements modules.Instance.
func (u *virtualUser) Exports() modules.Exports {
	named := map[string]any{
		"begin": u.begin, "done": u.done, "emit": u.emit, "sendGets": u.sendGets,
		"writeData": u.writeData,
	}
	return modules.Exports{Default: named, Named: named}
}

// begin announces a request, and returns whether its response is read and checked. Once the load is
// finished, it blocks the virtual user until the run ends.
func (u *virtualUser) begin() bool {
	ctx, schedule := u.vu.Context(), u.module.schedule
	scenario := lib.GetScenarioState(ctx)
	if scenario == nil {
		common.Throw(u.vu.Runtime(), errors.New("begin() may be called only in an iteration of a scenario"))
	}
	if scenario != u.scenario {
		u.scenario = scenario
		schedule.Observe(scenario, lib.GetExecutionState(ctx))
	}
	if !schedule.TryBegin() {
		<-ctx.Done()
		common.Throw(u.vu.Runtime(), errors.New("the load is finished"))
	}
	return (schedule.Begun.Add(1)-1)%sender.CheckedEvery == 0
}

// done records that a request has its response or has failed.
func (u *virtualUser) done() { u.module.schedule.UnderWay.Add(-1) }

// sendGets sends a whole load that consists of one GET, and returns when the load is over. It sends
// from Go, because JavaScript would use several times as much CPU time per request.
func (u *virtualUser) sendGets(given *sobek.Object) {
	if err := u.trySendGets(given); err != nil {
		common.Throw(u.vu.Runtime(), err)
	}
}

func (u *virtualUser) trySendGets(given *sobek.Object) error {
	ctx, schedule := u.vu.Context(), u.module.schedule
	scenario := lib.GetScenarioState(ctx)
	if scenario == nil || schedule.Duration() == 0 {
		return errors.New("sendGets() may be called only in an iteration of a scenario, with --out tacho")
	}
	encoded, err := given.MarshalJSON()
	if err != nil {
		return fmt.Errorf("parameters of sendGets(): %w", err)
	}
	var parameters sender.Parameters
	if err := json.Unmarshal(encoded, &parameters); err != nil {
		return fmt.Errorf("parameters of sendGets(): %w", err)
	}
	state := u.vu.State()
	load, err := sender.NewLoad(parameters, schedule.Duration(), state.Logger)
	if err != nil {
		return err
	}
	schedule.Observe(scenario, lib.GetExecutionState(ctx))
	schedule.UnderWay.Add(1)
	defer schedule.UnderWay.Add(-1)
	run := sender.Run{NewTally: schedule.NewTally, IsFinished: &schedule.IsFinished}
	if schedule.IsSummarised {
		run.NewFeed = func() sender.Feed { return newFeed(state) }
	}
	return load.Send(ctx, run)
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
