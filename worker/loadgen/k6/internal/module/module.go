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

	"tacho/worker/loadgen/k6/internal/jsonlines"
	"tacho/worker/loadgen/k6/internal/schedule"
)

// Module is `k6/x/tacho`. All virtual users of a run share it.
type Module struct {
	schedule *schedule.Schedule
	lines    *jsonlines.Writer
}

// virtualUser is the module's instance of a virtual user.
type virtualUser struct {
	module *Module
	vu     modules.VU
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
	named := map[string]any{"emit": u.emit, "sendLoad": u.sendLoad, "writeData": u.writeData}
	return modules.Exports{Default: named, Named: named}
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
