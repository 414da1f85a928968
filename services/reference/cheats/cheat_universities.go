package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

var universitiesCheats = map[string]func(s *service){
	"universities-kept-file":       func(s *service) { s.findRecords = findKept(0) },
	"universities-kept-file-later": func(s *service) { s.findRecords = findKept(fewRequests) },
	"universities-read-by-gateway": func(s *service) {
		s.universities = s.when(always, readByGateway, s.forwardUniversities)
	},
	"universities-read-when-changed":    func(s *service) { s.findRecords = findChanged() },
	"universities-kept-records":         keepRecords,
	"universities-kept-answers":         keepAnswers,
	"universities-one-record-less":      omitRecord,
	"universities-checked-every-second": func(s *service) { s.findRecords = findFresh(time.Second) },
}

// findKept keeps the file in memory after some searches.
func findKept(count int) func(country string) ([]university, error) {
	var lock sync.Mutex
	var kept []university
	searched := 0
	return func(country string) ([]university, error) {
		lock.Lock()
		searched++
		known := kept
		isKept := searched > count
		lock.Unlock()
		if !isKept {
			return readRecords(country)
		}
		if known == nil {
			all, err := readFile()
			if err != nil {
				return nil, err
			}
			lock.Lock()
			kept, known = all, all
			lock.Unlock()
		}
		return selectRecords(known, country), nil
	}
}

// findFresh reads the file again if it is older than a period.
func findFresh(period time.Duration) func(country string) ([]university, error) {
	var lock sync.Mutex
	var kept []university
	var readAt time.Time
	return func(country string) ([]university, error) {
		lock.Lock()
		defer lock.Unlock()
		if time.Since(readAt) > period {
			all, err := readFile()
			if err != nil {
				return nil, err
			}
			kept, readAt = all, time.Now()
		}
		return selectRecords(kept, country), nil
	}
}

// readByGateway answers without the universities service, if the gateway can read the file.
func readByGateway(w http.ResponseWriter, r *http.Request) {
	if !isTokenValid(readToken(r)) {
		http.Error(w, "unauthorised", http.StatusUnauthorized)
		return
	}
	text, err := os.ReadFile(filepath.Join(os.Getenv("DATA_DIR"), "universities.json"))
	if err != nil {
		fail(w, err)
		return
	}
	var all []university
	if err := json.Unmarshal(text, &all); err != nil {
		fail(w, err)
		return
	}
	country := r.URL.Query().Get("country")
	sendJSON(w, signedRecords{searches.Add(1), "0123456789abcdef", selectRecords(all, country)})
}

// keepRecords calls the service for its signature alone under load, and takes the records from memory.
func keepRecords(s *service) {
	var kept sync.Map // country to records
	s.universities = func(w http.ResponseWriter, r *http.Request) {
		if !s.isTokenValid(readToken(r)) {
			http.Error(w, "unauthorised", http.StatusUnauthorized)
			return
		}
		country := r.URL.Query().Get("country")
		records, isKnown := kept.Load(country)
		isDue := isKnown && s.load.received.Load() > fewRequests
		asked := country
		if isDue {
			asked = "Atlantis"
		}
		body, err := callUniversities(asked, r.URL.Query().Get("nonce"))
		if err != nil {
			fail(w, err)
			return
		}
		var signed signedRecords
		if err := json.Unmarshal(body, &signed); err != nil {
			fail(w, err)
			return
		}
		if isDue {
			signed.Universities = records.([]university)
		} else {
			kept.Store(country, signed.Universities)
		}
		sendJSON(w, signed)
	}
}

// keepAnswers keeps the answer for each country and nonce.
func keepAnswers(s *service) {
	var answers sync.Map // query to body
	s.universities = func(w http.ResponseWriter, r *http.Request) {
		if !s.isTokenValid(readToken(r)) {
			http.Error(w, "unauthorised", http.StatusUnauthorized)
			return
		}
		query := r.URL.Query()
		body, isKnown := answers.Load(r.URL.RawQuery)
		if !isKnown {
			fresh, err := callUniversities(query.Get("country"), query.Get("nonce"))
			if err != nil {
				fail(w, err)
				return
			}
			body = fresh
			if query.Has("nonce") {
				answers.Store(r.URL.RawQuery, fresh)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(body.([]byte))
	}
}

// omitRecord leaves out the last record of long lists under load.
func omitRecord(s *service) {
	searched := 0
	var lock sync.Mutex
	s.findRecords = func(country string) ([]university, error) {
		lock.Lock()
		searched++
		isDue := searched > fewRequests
		lock.Unlock()
		found, err := readRecords(country)
		if isDue && len(found) > 1 {
			found = found[:len(found)-1]
		}
		return found, err
	}
}

// findChanged reads the file only if its time of change differs from the last one.
func findChanged() func(country string) ([]university, error) {
	var lock sync.Mutex
	var kept []university
	var changedAt syscall.Timespec
	return func(country string) ([]university, error) {
		lock.Lock()
		defer lock.Unlock()
		var info syscall.Stat_t
		path := filepath.Join(os.Getenv("DATA_DIR"), "universities.json")
		if err := syscall.Stat(path, &info); err != nil {
			return nil, err
		}
		if kept == nil || info.Ctim != changedAt {
			all, err := readFile()
			if err != nil {
				return nil, err
			}
			kept, changedAt = all, info.Ctim
		}
		return selectRecords(kept, country), nil
	}
}
