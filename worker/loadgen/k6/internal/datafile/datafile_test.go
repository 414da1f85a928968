package datafile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

const records = `[
  { "name": "North Lake University 1", "country": "Finland" },
  { "country": "Chile", "name": "short" },
  { "country": "Chile", "name": "Université de l'Académie du Sud" },
  { "name": "West Hill College 2", "country": "Finland" }
]`

type record struct{ Name, Country string }

func openRecords(t *testing.T) (*File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "universities.json")
	if err := os.WriteFile(path, []byte(records), 0o644); err != nil {
		t.Fatal(err)
	}
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	file, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return file, path
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
	for version := range int64(3) {
		got := readRecords(t, path)
		if file.Version() != version {
			t.Fatalf("version %d, should be %d", file.Version(), version)
		}
		for country, position := range positions {
			name := got[position].Name
			if slices.Contains(seen[country], name) {
				t.Errorf("%s still has the name %q", country, name)
			}
			seen[country] = append(seen[country], name)
			index, names := file.Names(country, version)
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
	if _, names := file.Names("Chile", 0); len(names) != 4 || !slices.Equal(names[:3], seen["Chile"]) {
		t.Errorf("names since the start are %q, should begin with %q", names, seen["Chile"])
	}
}

func TestSizeAndTimeOfModificationStay(t *testing.T) {
	file, path := openRecords(t)
	before, _ := os.Stat(path)
	if err := file.Change(); err != nil {
		t.Fatal(err)
	}
	after, _ := os.Stat(path)
	if before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("size and time were %v and are %v", before, after)
	}
}

func TestAnUnmarkedCountryHasNoNames(t *testing.T) {
	file, _ := openRecords(t)
	if _, names := file.Names("Atlantis", 0); names != nil {
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
