package main

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
)

// checkedEvery is the number of responses of which one is read and checked.
const checkedEvery = 100

// module is `k6/x/tacho`, shared by all virtual users of a run.
type module struct {
	schedule *schedule
	lines    *lineWriter
}

// virtualUser is what one virtual user sees of the module.
type virtualUser struct {
	module   *module
	vu       modules.VU
	scenario *lib.ScenarioState // the last one observed
}

func newModule(schedule *schedule, lines *lineWriter) *module {
	return &module{schedule: schedule, lines: lines}
}

// NewModuleInstance implements modules.Module.
func (m *module) NewModuleInstance(vu modules.VU) modules.Instance {
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

// begin announces a request; it returns whether the answer is to be read and checked. Once the
// load is finished it holds the virtual user until the run ends.
func (u *virtualUser) begin() bool {
	ctx, schedule := u.vu.Context(), u.module.schedule
	scenario := lib.GetScenarioState(ctx)
	if scenario == nil {
		common.Throw(u.vu.Runtime(), errors.New("begin() is for the iterations of a scenario"))
	}
	if scenario != u.scenario {
		u.scenario = scenario
		schedule.observe(scenario, lib.GetExecutionState(ctx))
	}
	if !schedule.tryBegin() {
		<-ctx.Done()
		common.Throw(u.vu.Runtime(), errors.New("the load is finished"))
	}
	return (schedule.begun.Add(1)-1)%checkedEvery == 0
}

// done records that a request that was begun has its response or has failed.
func (u *virtualUser) done() { u.module.schedule.underWay.Add(-1) }

// sendGets sends a whole load of one GET again and again, from Go: JavaScript would cost
// several times as much CPU time a request. It returns when the load is over.
func (u *virtualUser) sendGets(given *sobek.Object) {
	if err := u.trySendGets(given); err != nil {
		common.Throw(u.vu.Runtime(), err)
	}
}

func (u *virtualUser) trySendGets(given *sobek.Object) error {
	ctx, schedule := u.vu.Context(), u.module.schedule
	scenario := lib.GetScenarioState(ctx)
	if scenario == nil || schedule.duration() == 0 {
		return errors.New("sendGets() is for the iteration of a scenario, with --out tacho")
	}
	encoded, err := given.MarshalJSON()
	if err != nil {
		return fmt.Errorf("parameters of sendGets(): %w", err)
	}
	var parameters getParameters
	if err := json.Unmarshal(encoded, &parameters); err != nil {
		return fmt.Errorf("parameters of sendGets(): %w", err)
	}
	state := u.vu.State()
	load, err := newGetLoad(parameters, schedule.duration(), state.Logger)
	if err != nil {
		return err
	}
	schedule.observe(scenario, lib.GetExecutionState(ctx))
	schedule.underWay.Add(1)
	defer schedule.underWay.Add(-1)
	return load.send(ctx, schedule, func() *k6Feed {
		if schedule.isSummarised {
			return newK6Feed(state)
		}
		return nil
	})
}

// emit writes an object as one line on stdout.
func (u *virtualUser) emit(object *sobek.Object) {
	encoded, err := object.MarshalJSON()
	if err == nil {
		err = u.module.lines.write(json.RawMessage(encoded))
	}
	if err != nil {
		common.Throw(u.vu.Runtime(), err)
	}
}

// writeData replaces a file of the scenario's data, which the services see, in one step: a service
// that reads it meanwhile gets the old one or the new one.
func (u *virtualUser) writeData(name, text string) {
	if err := replaceFile(os.Getenv("TACHO_DATA"), name, text); err != nil {
		common.Throw(u.vu.Runtime(), err)
	}
}

func replaceFile(folder, name, text string) error {
	if folder == "" {
		return errors.New("writeData() is for scenarios with a data folder")
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
