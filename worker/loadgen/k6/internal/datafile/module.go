package datafile

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
)

// The time between two changes is drawn at random.
const (
	shortestPause = 50 * time.Millisecond
	longestPause  = 120 * time.Millisecond
)

// Module is `k6/x/data`. All virtual users of a run share its file.
type Module struct {
	FindStart func() (time.Time, bool) // of the load

	mutex sync.Mutex
	file  *File
	err   error // of opening or changing the file
}

// virtualUser is the module's instance of a virtual user.
type virtualUser struct {
	module *Module
	vu     modules.VU
}

// possibleNames are the names of a country's marked record that a response may contain, the index of
// the record among those of the country, and its name before the first change.
type possibleNames struct {
	Index    int      `js:"index"`
	Names    []string `js:"names"`
	Original string   `js:"original"`
}

// NewModuleInstance implements modules.Module.
func (m *Module) NewModuleInstance(vu modules.VU) modules.Instance {
	return &virtualUser{module: m, vu: vu}
}

// Exports implements modules.Instance.
func (u *virtualUser) Exports() modules.Exports {
	named := map[string]any{"keepChanging": u.keepChanging, "possibleNames": u.possibleNames}
	return modules.Exports{Default: named, Named: named}
}

// keepChanging begins to change a data file until the process ends. The context of a virtual user ends
// with its iteration.
func (u *virtualUser) keepChanging(name string) {
	m := u.module
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.file == nil && m.err == nil {
		m.open(name)
		go m.changeForever()
	}
	u.throwError()
}

// throwError ends the script if the file could not be opened or changed.
func (u *virtualUser) throwError() {
	if u.module.err != nil {
		common.Throw(u.vu.Runtime(), u.module.err)
	}
}

func (m *Module) open(name string) {
	folder := os.Getenv("TACHO_DATA")
	if folder == "" {
		m.err = errors.New("keepChanging() may be called only in a scenario with a data folder")
		return
	}
	m.file, m.err = Open(filepath.Join(folder, filepath.Base(name)))
}

func (m *Module) changeForever() {
	for {
		time.Sleep(shortestPause + rand.N(longestPause-shortestPause))
		m.mutex.Lock()
		if m.err == nil {
			m.err = m.file.Change()
		}
		hasFailed := m.err != nil
		m.mutex.Unlock()
		if hasFailed {
			return
		}
	}
}

// possibleNames returns what the marked record of a country may be called in a response. The request was
// sent and the response ended at these times since the start of the load.
func (u *virtualUser) possibleNames(country string, sentMs, endMs float64) possibleNames {
	file := u.module.file
	start, _ := u.module.FindStart()
	at := func(ms float64) time.Time {
		return start.Add(time.Duration(ms * float64(time.Millisecond)))
	}
	index, names := file.Names(country, at(sentMs), at(endMs))
	return possibleNames{Index: index, Names: names, Original: file.marks[country].name}
}
