package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
)

// service is one of the six; next is nil in the last.
type service struct {
	stepper *stepper
	next    *nextService
}

func (s *service) pass(ctx context.Context, message Message) (*Answer, error) {
	stepped, stamp := s.stepper.step(message)
	answer := &Answer{}
	if s.next == nil {
		*answer = s.stepper.cut(stepped)
	} else {
		var err error
		if answer, err = s.next.pass(ctx, stepped); err != nil {
			return nil, err
		}
	}
	answer.Stamps = append([]int64{stamp}, answer.Stamps...)
	return answer, nil
}

// takeLoad handles a message of the load, which uses HTTP.
func (s *service) takeLoad(w http.ResponseWriter, r *http.Request) {
	message := Message{Number: -1}
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil || !message.isValid() {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	answer, err := s.pass(r.Context(), message)
	if err != nil {
		log.Print(err)
		http.Error(w, "the next service failed", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		log.Print(err)
	}
}
