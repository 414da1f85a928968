package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
)

const streamType = "application/stream+json"

var carsCheats = map[string]func(s *service){
	"cars-buffered":        carsBy(always, bufferCars),
	"cars-buffered-later":  carsBy(after(someRequests), bufferCars),
	"cars-in-two-bunches":  carsBy(inCrowd, bunchCars),
	"cars-no-wait":         carsBy(after(someRequests), hurryCars),
	"cars-nine":            carsBy(mostly, omitCar),
	"cars-always-the-same": carsBy(afterWarmUp, repeatCars),
}

func carsBy(isDue trigger, cheat http.HandlerFunc) func(s *service) {
	return func(s *service) {
		isStream := func(l *load, r *http.Request) bool {
			return r.Header.Get("Accept") == streamType && isDue(l, r)
		}
		s.cars = s.when(isStream, cheat, getCars)
	}
}

// bufferCars waits as long as an honest service, and sends all cars in one piece.
func bufferCars(w http.ResponseWriter, r *http.Request) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for car := range cars(intParameter(r, "first"), intParameter(r, "delay_ms")) {
		encoder.Encode(car)
	}
	w.Header().Set("Content-Type", streamType)
	w.Write(lines.Bytes())
}

func bunchCars(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", streamType)
	encoder, control := json.NewEncoder(w), http.NewResponseController(w)
	count := 0
	for car := range cars(intParameter(r, "first"), intParameter(r, "delay_ms")) {
		encoder.Encode(car)
		if count++; count%(carCount/2) == 0 {
			control.Flush()
		}
	}
}

func hurryCars(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", streamType)
	streamCars(w, cars(intParameter(r, "first"), intParameter(r, "delay_ms")/2))
}

func omitCar(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", streamType)
	count := 0
	streamCars(w, func(yield func(car) bool) {
		for car := range cars(intParameter(r, "first"), intParameter(r, "delay_ms")) {
			if count++; count == carCount || !yield(car) {
				return
			}
		}
	})
}

var readyMade = func() [][]byte {
	lines := make([][]byte, carCount)
	for id := range lines {
		line, _ := json.Marshal(car{id, models[id%len(models)], companies[id%len(companies)]})
		lines[id] = append(line, '\n')
	}
	return lines
}()

// repeatCars sends cars that were serialised at the start, with the ids of no request.
func repeatCars(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", streamType)
	control := http.NewResponseController(w)
	for _, line := range readyMade {
		time.Sleep(time.Duration(intParameter(r, "delay_ms")) * time.Millisecond / carCount)
		w.Write(line)
		control.Flush()
	}
}
