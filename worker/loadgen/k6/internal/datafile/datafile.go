// Package datafile changes a data file of a scenario during the load, so that a service that keeps
// the file's content gives wrong answers.
package datafile

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// markBytes is the number of bytes that change. They are aligned and stored at once, so that a
// service that reads the file at the same time does not read half of a change.
const markBytes = 8

var namePattern = regexp.MustCompile(`"name"\s*:\s*"([^"\\]+)"`)

// File is an open data file: a JSON array of records with the fields `country` and `name`. A change
// replaces some bytes of a name in each country. A service must not notice a change without reading
// the file. So the size and the time of the last modification stay the same, and the bytes are
// stored in a shared mapping of the file: `inotify` does not report this, and the kernel sets the
// time of the last status change (`ctime`) only at the first store to a page that it has written to
// the disk.
type File struct {
	path     string
	memory   []byte // the mapping
	modified time.Time
	marks    map[string]mark // by country
	key      []byte

	mutex   sync.Mutex
	changes []change // in order; the first is the content before all changes
}

// A change is when the bytes of all countries were stored. The time done is zero until it is over.
type change struct{ begun, done time.Time }

// A mark is the place of the bytes that change in a country.
type mark struct {
	index  int    // of the record among the records of its country
	name   string // before the first change
	start  int    // of the bytes in the name
	offset int64  // of the bytes in the file
}

// Open reads a data file and finds the bytes to change.
func Open(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	marks, err := findMarks(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	memory, modified, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	key := make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return &File{
		path: path, memory: memory, modified: modified, marks: marks, key: key,
		changes: make([]change, 1),
	}, nil
}

// mapFile maps a file into memory until the process ends, and returns the time of its last
// modification.
func mapFile(path string) ([]byte, time.Time, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer file.Close()
	status, err := file.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	memory, err := unix.Mmap(
		int(file.Fd()), 0, int(status.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED,
	)
	if err != nil {
		return nil, time.Time{}, &os.PathError{Op: "map", Path: path, Err: err}
	}
	return memory, status.ModTime(), nil
}

func findMarks(text []byte) (map[string]mark, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	marks, counts := map[string]mark{}, map[string]int{}
	for decoder.More() {
		var record json.RawMessage
		if err := decoder.Decode(&record); err != nil {
			return nil, err
		}
		var fields struct{ Country string }
		if err := json.Unmarshal(record, &fields); err != nil {
			return nil, err
		}
		if _, isMarked := marks[fields.Country]; !isMarked {
			start := int(decoder.InputOffset()) - len(record)
			if found, ok := findMark(record, start); ok {
				found.index = counts[fields.Country]
				marks[fields.Country] = found
			}
		}
		counts[fields.Country]++
	}
	if len(marks) == 0 {
		return nil, errors.New("no record has a name that can be changed")
	}
	return marks, nil
}

// findMark returns the place of aligned ASCII bytes in the name of a record that begins at an offset
// in the file.
func findMark(record []byte, recordStart int) (mark, bool) {
	place := namePattern.FindSubmatchIndex(record)
	if place == nil {
		return mark{}, false
	}
	nameStart, nameEnd := place[2], place[3]
	first := nameStart + (markBytes-(recordStart+nameStart)%markBytes)%markBytes
	for at := first; at+markBytes <= nameEnd; at += markBytes {
		if isASCII(record[at : at+markBytes]) {
			return mark{
				name:   string(record[nameStart:nameEnd]),
				start:  at - nameStart,
				offset: int64(recordStart + at),
			}, true
		}
	}
	return mark{}, false
}

func isASCII(text []byte) bool {
	for _, character := range text {
		if character >= 0x80 {
			return false
		}
	}
	return true
}

// valueOf returns the bytes of a country after a number of changes.
func (f *File) valueOf(country string, change int) string {
	place := f.marks[country]
	if change == 0 {
		return place.name[place.start : place.start+markBytes]
	}
	mac := hmac.New(sha256.New, f.key)
	mac.Write([]byte(strconv.Itoa(change) + " " + country))
	return hex.EncodeToString(mac.Sum(nil)[:markBytes/2])
}

// Change changes the file once.
func (f *File) Change() error {
	f.mutex.Lock()
	number := len(f.changes)
	f.changes = append(f.changes, change{begun: time.Now()})
	f.mutex.Unlock()
	for country, place := range f.marks {
		f.store(place.offset, f.valueOf(country, number))
	}
	f.mutex.Lock()
	f.changes[number].done = time.Now()
	f.mutex.Unlock()
	return f.restoreModified()
}

// store stores markBytes bytes at an aligned offset at once.
func (f *File) store(offset int64, value string) {
	word := (*uint64)(unsafe.Pointer(&f.memory[offset]))
	atomic.StoreUint64(word, binary.NativeEndian.Uint64([]byte(value)))
}

// restoreModified sets the time of the last modification back if storing has changed it.
func (f *File) restoreModified() error {
	status, err := os.Stat(f.path)
	if err != nil || status.ModTime().Equal(f.modified) {
		return err
	}
	return os.Chtimes(f.path, f.modified, f.modified)
}

// Names returns the names that the marked record of a country had at some time from one instant to
// another, the newest last, and the index of the record among those of its country. There are none if
// the country has no marked record.
func (f *File) Names(country string, from, to time.Time) (index int, names []string) {
	place, found := f.marks[country]
	if !found {
		return 0, nil
	}
	first, end := f.findChanges(from, to)
	for number := first; number < end; number++ {
		value := f.valueOf(country, number)
		names = append(names, place.name[:place.start]+value+place.name[place.start+markBytes:])
	}
	return place.index, names
}

// findChanges returns the changes whose content was in the file at some time from one instant to
// another. Each content stays until the next change is done.
func (f *File) findChanges(from, to time.Time) (first, end int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	end = len(f.changes)
	for end > 1 && f.changes[end-1].begun.After(to) {
		end--
	}
	first = end - 1
	for first > 0 && (f.changes[first].done.IsZero() || f.changes[first].done.After(from)) {
		first--
	}
	return first, end
}
