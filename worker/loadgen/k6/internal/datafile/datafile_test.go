package datafile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const records = `[
  { "name": "North Lake University 1", "country": "Finland" },
  { "country": "Chile", "name": "short" },
  { "country": "Chile", "name": "Université de l'Académie du Sud" },
  { "name": "West Hill College 2", "country": "Finland" }
]`

var old = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

type record struct{ Name, Country string }

// A status is what stat shows of a file, with times in nanoseconds.
type status struct{ size, modified, changed int64 }

func openRecords(t *testing.T) (*File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "universities.json")
	if err := os.WriteFile(path, []byte(records), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	file, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return file, path
}

func readStatus(t *testing.T, path string) status {
	t.Helper()
	var found unix.Stat_t
	if err := unix.Stat(path, &found); err != nil {
		t.Fatal(err)
	}
	return status{found.Size, found.Mtim.Nano(), found.Ctim.Nano()}
}

func readRecords(t *testing.T, path string) []record {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []record
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEachChangeGivesTheMarkedRecordsNewNames(t *testing.T) {
	file, path := openRecords(t)
	positions := map[string]int{"Finland": 0, "Chile": 2}
	seen := map[string][]string{}
	start := time.Now()
	for range 3 {
		got := readRecords(t, path)
		now := time.Now()
		for country, position := range positions {
			name := got[position].Name
			if slices.Contains(seen[country], name) {
				t.Errorf("%s still has the name %q", country, name)
			}
			seen[country] = append(seen[country], name)
			index, names := file.Names(country, now, now)
			if !slices.Equal(names, []string{name}) {
				t.Errorf("names of %s are %q, should be only %q", country, names, name)
			}
			if want := map[string]int{"Finland": 0, "Chile": 1}[country]; index != want {
				t.Errorf("index of %s is %d, should be %d", country, index, want)
			}
		}
		if got[1].Name != "short" || got[3].Name != "West Hill College 2" {
			t.Errorf("other records have changed: %+v", got)
		}
		if err := file.Change(); err != nil {
			t.Fatal(err)
		}
	}
	if _, names := file.Names("Chile", start, time.Now()); len(names) != 4 || !slices.Equal(names[:3], seen["Chile"]) {
		t.Errorf("names since the start are %q, should begin with %q", names, seen["Chile"])
	}
}

func TestANameIsPossibleOnlyWhileTheFileHasIt(t *testing.T) {
	file, _ := openRecords(t)
	at := func(seconds int) time.Time { return old.Add(time.Duration(seconds) * time.Second) }
	// The second change is not done yet.
	file.changes = []change{{}, {at(10), at(12)}, {begun: at(20)}}
	for name, test := range map[string]struct{ from, to, first, end int }{
		"before all changes":     {1, 9, 0, 1},
		"within a change":        {11, 11, 0, 2},
		"after a change":         {13, 19, 1, 2},
		"across a change":        {9, 13, 0, 2},
		"within the last change": {30, 31, 1, 3},
		"all the time":           {1, 31, 0, 3},
	} {
		if first, end := file.findChanges(at(test.from), at(test.to)); first != test.first || end != test.end {
			t.Errorf("%s: changes %d to %d, should be %d to %d", name, first, end, test.first, test.end)
		}
	}
}

func TestAChangeShowsOnlyInTheContent(t *testing.T) {
	file, path := openRecords(t)
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(watch) })
	if err := file.Change(); err != nil { // The first store to a page changes the time.
		t.Fatal(err)
	}
	if _, err := unix.InotifyAddWatch(watch, path, unix.IN_MODIFY|unix.IN_ATTRIB); err != nil {
		t.Fatal(err)
	}
	before, content := readStatus(t, path), readRecords(t, path)
	if err := file.Change(); err != nil {
		t.Fatal(err)
	}
	if after := readStatus(t, path); after != before {
		t.Errorf("the status was %+v and is %+v", before, after)
	}
	if slices.Equal(readRecords(t, path), content) {
		t.Error("the content is the same")
	}
	events := make([]byte, 4096)
	if count, err := unix.Read(watch, events); err != unix.EAGAIN {
		t.Errorf("inotify reported %d bytes of events, error %v", count, err)
	}
}

func TestTheTimeOfModificationIsRestored(t *testing.T) {
	file, path := openRecords(t)
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	if err := file.Change(); err != nil {
		t.Fatal(err)
	}
	if found := readStatus(t, path).modified; found != old.UnixNano() {
		t.Errorf("the file was modified at %d ns", found)
	}
}

func TestAnUnmarkedCountryHasNoNames(t *testing.T) {
	file, _ := openRecords(t)
	if _, names := file.Names("Atlantis", time.Now(), time.Now()); names != nil {
		t.Errorf("names are %q", names)
	}
}

func TestAFileWithoutRecordsIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.json")
	if err := os.WriteFile(path, []byte("[]"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil {
		t.Error("an empty file was opened")
	}
}
