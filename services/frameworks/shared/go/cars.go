package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

const carCount = 10

var (
	models = []string{
		"e-tron", "TT Coupé", "Nova", "Uno", "Kuga", "Pinto", "Probe", "Vaneo", "iMIEV", "Opa",
		"Phaeton",
	}
	companies = []string{
		"Audi", "Toyota", "VW", "Ford", "Kia", "Fiat", "Chevrolet", "Mercedes",
	}
)

type car struct {
	ID      int    `json:"id"`
	Model   string `json:"model"`
	Company string `json:"company"`
}

// cars yields ten cars, each after a tenth of the delay.
func cars(first, delayMs int) func(yield func(car) bool) {
	return func(yield func(car) bool) {
		for id := first; id < first+carCount; id++ {
			time.Sleep(time.Duration(delayMs) * time.Millisecond / carCount)
			if !yield(car{id, models[id%len(models)], companies[id%len(companies)]}) {
				return
			}
		}
	}
}

func intParameter(r *http.Request, name string) int {
	value, _ := strconv.Atoi(r.FormValue(name)) // 0 if it is missing or no number
	return value
}

func getCars(w http.ResponseWriter, r *http.Request) {
	wanted := cars(intParameter(r, "first"), intParameter(r, "delay_ms"))
	switch accept := r.Header.Get("Accept"); accept {
	case "application/stream+json", "application/octet-stream":
		w.Header().Set("Content-Type", accept)
		streamCars(w, wanted)
	default:
		all := make([]car, 0, carCount)
		for item := range wanted {
			all = append(all, item)
		}
		sendJSON(w, all)
	}
}

func streamCars(w http.ResponseWriter, wanted func(yield func(car) bool)) {
	encoder, control := json.NewEncoder(w), http.NewResponseController(w)
	for item := range wanted {
		// The encoder ends each value with a line end.
		if encoder.Encode(item) != nil || control.Flush() != nil {
			return // the client has disconnected
		}
	}
}
